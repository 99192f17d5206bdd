/*=========================================================================
 *
 *  Copyright the CudaSpline contributors
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#ifndef itkCudaSpline_kernels_registration_Lbfgs_h
#define itkCudaSpline_kernels_registration_Lbfgs_h

#include "itkCudaSpline/kernels/common/Residence.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>

/** \file
 * \brief L-BFGS whose vectors stay on a backend, by the rules of itk::LBFGSOptimizerv4. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What Lbfgs goes by; names and defaults are those of itk::LBFGSOptimizerv4. */
struct LbfgsRules
{
  unsigned int evaluations{ 500 }; ///< of the function, at most, unless the limit is higher; what ITK calls iterations
  unsigned int limit{ 0 };         ///< at most, as long as values fall fast (FastFall)
  /** The start of a search along a direction, as a factor of the direction; except for the first one, which begins with
   * a step of length 1. */
  double stepLength{ 1.0 };
  double lineSearchAccuracy{ 0.9 }; ///< a search ends when the slope is this fraction of its first value
  double gradientTolerance{ 1e-5 }; ///< an iteration is the last one whose gradient is no longer, by max(1, |x|)
};

/** \brief Why Lbfgs has ended. */
enum class LbfgsStop : unsigned char
{
  None,        ///< it has not
  Evaluations, ///< there were as many as were allowed
  Gradient,    ///< it is short enough
  LineSearch   ///< no step along the direction will do, or none goes down
};

/** \brief What an evaluation came to. */
struct LbfgsEvaluation
{
  unsigned int number{ 0 };     ///< from 1 on
  double       value{ 0.0 };    ///< of the function
  double       gradient{ 0.0 }; ///< length of its gradient
  /** The longest way of a place from the evaluation before, or from the start; 0 where no parameter has changed. */
  double way{ 0.0 };
};

/** \brief A function and its gradient: both in memory of the residence, on which all steps before are done. The
 * gradient is written before it returns, or by steps of the residence.
 *
 * \param[in] parameters where
 * \param[out] gradient as many numbers
 * \return the value; one that is not a number counts as the largest double */
using LbfgsFunction = std::function<double(const double * parameters, double * gradient)>;

/** \brief Finds a minimum of a function of many parameters, an evaluation at a time.
 *
 * \code
 * Lbfgs search(nodes, 3, start, function, rules, residence);
 * while (const auto evaluation = search.Evaluate())
 * {
 *   std::cout << evaluation->number << ' ' << evaluation->value << '\n';
 * }
 * CopyResident(parameters, search.GetBest(), bytes, residence);
 * \endcode
 *
 * A direction is minus the gradient times an inverse Hessian that the last five iterations give (\cite{Nocedal1980},
 * \cite{Liu1989}); along it goes the search of \cite{More1994}. What the host decides by are some 30 inner products,
 * which one pass over all vectors makes, and which are all that crosses the bus: directions are sums of vectors whose
 * factors follow from inner products alone.
 *
 * \par Accuracy
 * Inner products are added up in an order that follows from the number of parameters and the backend: two runs have the
 * same bits, on any number of threads. From ITK's trajectory the first iterations differ by their roundings. */
class Lbfgs
{
public:
  /** Iterations that are remembered: ITK's. */
  static constexpr int History = 5;

  /** Allocates all that it needs: 17 vectors.
   *
   * \param[in] places number of points of the parameters
   * \param[in] components numbers of a place; parameters are all first ones, then all second ones
   * \param[in] start where it begins: \p places * \p components parameters, in memory of the residence
   * \param[in] function what is minimized
   * \param[in] rules what it goes by
   * \param[in] residence where
   * \exception std::invalid_argument no parameter, or invalid rules
   * \exception DeviceError out of memory, or a lost device */
  Lbfgs(std::int64_t          places,
        unsigned int          components,
        const double *        start,
        const LbfgsFunction & function,
        const LbfgsRules &    rules,
        const Residence &     residence);
  Lbfgs(const Lbfgs &) = delete;
  Lbfgs &
  operator=(const Lbfgs &) = delete;
  ~Lbfgs();

  /** \brief One evaluation, and the step to the next; nothing where it has ended.
   *
   * \exception DeviceError the device failed; exceptions of the function are passed on */
  std::optional<LbfgsEvaluation>
  Evaluate();

  /** Why it has ended. */
  LbfgsStop
  GetStop() const;
  /** Evaluations so far. */
  unsigned int
  CountEvaluations() const;
  /** Parameters of the lowest value so far, in memory of the residence: what ITK's optimizer leaves. Of the start
   * before the first evaluation. */
  const double *
  GetBest() const;
  /** How fast values fall. */
  double
  GetFallRate() const;
  /** The lowest value so far; the largest double before the first one. */
  double
  GetBestValue() const;

  /** Bytes that it allocates. */
  static std::size_t
  CountBytes(std::int64_t places, unsigned int components);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** @} */
} // namespace itk::CudaSpline

#endif

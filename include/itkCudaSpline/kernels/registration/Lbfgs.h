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
 * \brief L-BFGS with vectors that stay on a backend, and with the rules of itk::LBFGSOptimizerv4. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The rules of Lbfgs; names and defaults are those of itk::LBFGSOptimizerv4. */
struct LbfgsRules
{
  /** Maximum number of evaluations of the function, unless \c limit is higher; ITK calls them iterations. */
  unsigned int evaluations{ 500 };
  unsigned int limit{ 0 };       ///< maximum number of evaluations while values fall fast (FastFall)
  double       firstStep{ 1.0 }; ///< length of the first step of the first line search; always 1 in ITK
  /** First step of all later line searches, as a factor of the direction. */
  double stepLength{ 1.0 };
  double lineSearchAccuracy{ 0.9 }; ///< a search ends when the slope is this fraction of its first value
  double gradientTolerance{ 1e-5 }; ///< the search stops at a gradient of at most this length, relative to max(1, |x|)
};

/** \brief Why Lbfgs has stopped. */
enum class LbfgsStop : unsigned char
{
  None,        ///< it has not stopped
  Evaluations, ///< the maximum number of evaluations was reached
  Gradient,    ///< the gradient is short enough
  LineSearch   ///< no acceptable step along the direction, or the direction does not descend
};

/** \brief The result of an evaluation. */
struct LbfgsEvaluation
{
  unsigned int number{ 0 };     ///< from 1
  double       value{ 0.0 };    ///< value of the function
  double       gradient{ 0.0 }; ///< length of the gradient
  /** The longest displacement of a point since the previous evaluation, or from the start; 0 if no parameter has
   * changed. */
  double way{ 0.0 };
};

/** \brief A function and its gradient, both in the memory of the backend. All previous work of the backend is complete
 * when it is called. The gradient is written before it returns, or by work that it enqueues on the backend.
 *
 * \param[in] parameters parameters
 * \param[out] gradient one number per parameter
 * \return the value; NaN is treated as the largest double */
using LbfgsFunction = std::function<double(const double * parameters, double * gradient)>;

/** \brief Minimizes a function of many parameters, one evaluation at a time.
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
 * A direction is minus the gradient times an inverse Hessian that is estimated from the last five iterations
 * (\cite{Nocedal1980}, \cite{Liu1989}). The line search is that of \cite{More1994}. The host decides with about 30
 * inner products, which one pass over all vectors computes. Only these are transferred over the bus: directions are
 * linear combinations of vectors, with coefficients that follow from the inner products.
 *
 * \par Accuracy
 * Inner products are added in an order that depends only on the number of parameters and the backend: two runs are
 * bitwise equal on any number of threads. The first iterations differ from ITK's only by rounding. */
class Lbfgs
{
public:
  /** Number of iterations in the history, as in ITK. */
  static constexpr int History = 5;

  /** Allocates all memory: 17 vectors.
   *
   * \param[in] places number of points of the parameters
   * \param[in] components components of a point; the first components of all points come first, then all second ones
   * \param[in] start initial parameters: \p places * \p components numbers, in the memory of the backend
   * \param[in] function function to minimize
   * \param[in] rules rules of the search
   * \param[in] residence memory of the backend
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

  /** \brief Evaluates the function once and makes the next step; empty if the search has stopped.
   *
   * \exception DeviceError the device failed; exceptions of the function are passed on */
  std::optional<LbfgsEvaluation>
  Evaluate();

  /** Why the search has stopped. */
  LbfgsStop
  GetStop() const;
  /** Number of evaluations so far. */
  unsigned int
  CountEvaluations() const;
  /** Parameters of the lowest value so far, in the memory of the backend: ITK's optimizer returns these. Before the
   * first evaluation they are those of the start. */
  const double *
  GetBest() const;
  /** How fast values fall. */
  double
  GetFallRate() const;
  /** The lowest value so far; the largest double before the first one. */
  double
  GetBestValue() const;

  /** Bytes that a search allocates. */
  static std::size_t
  CountBytes(std::int64_t places, unsigned int components);

private:
  struct Parts;

  std::unique_ptr<Parts> m_Parts;
};

/** @} */
} // namespace itk::CudaSpline

#endif

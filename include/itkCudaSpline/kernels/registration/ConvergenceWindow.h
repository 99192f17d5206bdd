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
#ifndef itkCudaSpline_kernels_registration_ConvergenceWindow_h
#define itkCudaSpline_kernels_registration_ConvergenceWindow_h

#include <cstddef>
#include <deque>

/** \file
 * \brief Convergence of a registration: the slope of its last energies. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The convergence measure of itk::Function::WindowConvergenceMonitoringFunction: the slope of a line fitted to
 * the last energies, relative to the sum of the magnitudes of all energies so far. */
class ConvergenceWindow
{
public:
  /** \param[in] size number of energies in the window; 2 or more */
  explicit ConvergenceWindow(std::size_t size)
    : m_Size(size)
  {}

  /** Adds the energy of an iteration. */
  void
  Add(double energy);

  /** \brief How much energies fall over the window; the largest double until the window is full.
   *
   * \par Accuracy
   * The weights of the line are floats as in ITK, and the results are bitwise equal to ITK's. */
  double
  GetValue() const;

private:
  std::size_t        m_Size;
  std::deque<double> m_Energies;
  double             m_Total{ 0.0 }; ///< of all magnitudes, also of energies that left the window
};

/** \brief How fast the values of a descent still fall: by how much the lowest one fell in the last ten iterations, or
 * in all if there are fewer, as a share of the largest magnitude of all. */
class FallRate
{
public:
  /** Adds the value of an iteration. */
  void
  Add(double value);

  /** 0 before the second value. */
  double
  GetValue() const;

private:
  std::deque<double> m_Lowest; ///< lowest value so far, after each of the last iterations
  double             m_Largest{ 0.0 };
};

/** \brief If the FallRate of a level of a linear or B-spline transform is higher than this after its last iteration,
 * the level needs more iterations. Ordinary registrations end below it. */
inline constexpr double FastFall = 0.004;
/** \brief A level that ends with a higher FallRate gets a warning, whoever limited its iterations. */
inline constexpr double ClearFall = 0.01;
/** \brief The same for displacement fields, which improve as long as they deform: ordinary registrations end at up to
 * 0.03. */
inline constexpr double FastFieldFall = 0.05;

/** @} */
} // namespace itk::CudaSpline

#endif

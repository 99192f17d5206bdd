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
#ifndef itkCudaSpline_kernels_fields_VelocityIntegration_h
#define itkCudaSpline_kernels_fields_VelocityIntegration_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"

#include <vector>

/** \file
 * \brief Velocity fields that vary in time (Residence). All operations are asynchronous.
 */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Maximum number of the time points of a velocity field. */
inline constexpr unsigned int MaxTimePoints = 16;

/** \brief A velocity field at equidistant time points, the first at time 0 and the last at time 1. It is interpolated
 * linearly between the time points and between its samples. The vectors at the ends of an axis are continued
 * outside. */
struct TimeVaryingVelocity
{
  FieldShape                shape;  ///< shape of each field
  std::vector<const void *> fields; ///< one per time point (mm per unit of time), in the memory of the backend
};

/** \brief Integrates a velocity field with the classical Runge-Kutta method of order 4.
 *
 * \param[in] velocity 2 to MaxTimePoints fields
 * \param[in] from time point of the samples of the output
 * \param[in] to time point to which they are moved; it may be before \p from
 * \param[in] steps for each interval between neighbouring time points; 1 or more
 * \param[out] output displacement of each sample (mm), of the shape of the velocity
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument a shape, a number of time points or a time point that is not allowed */
void
IntegrateVelocity(const TimeVaryingVelocity & velocity,
                  unsigned int                from,
                  unsigned int                to,
                  unsigned int                steps,
                  void *                      output,
                  const Residence &           residence);

/** \brief The integral as itk::TimeVaryingVelocityFieldIntegrationImageFilter computes it, in time from 0 to 1.
 *
 * The filter shifts time within each step, and its intermediate points are those of an integral forward in time in both
 * directions. Velocities outside the grid are 0. Coordinates are double.
 *
 * \param[in] velocity 2 to MaxTimePoints fields
 * \param[in] lower time of the samples of the output
 * \param[in] upper time to which they are moved; equal times give no displacement
 * \param[in] steps 1 to MaxItkSteps
 * \param[out] output displacement of each sample (mm), of the shape of the velocity
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument a shape, a number of time points or of steps that is not allowed */
void
IntegrateVelocityAsItk(const TimeVaryingVelocity & velocity,
                       double                      lower,
                       double                      upper,
                       unsigned int                steps,
                       void *                      output,
                       const Residence &           residence);

/** \brief Maximum number of steps of IntegrateVelocityAsItk(): itk::TimeVaryingVelocityFieldImageRegistrationMethodv4
 * uses two more than the number of time points. */
inline constexpr unsigned int MaxItkSteps = MaxTimePoints + 2;

/** \brief Weights of a Gaussian over time points, from the middle one outwards.
 *
 * \param[in] variance variance (time points^2); 0: a single weight of 1
 * \param[in] timePoints number of time points, which limits the number of weights as in itk::GaussianOperator */
std::vector<double>
MakeTimeWeights(double variance, unsigned int timePoints);

/** \brief Options for combining fields along time. */
struct TimeSmoothing
{
  std::vector<double> weights{ 1.0 };        ///< weights of the sum along time, from the middle one outwards
  double              share{ 1.0 };          ///< factor of the sum
  double              kept{ 0.0 };           ///< factor of the previous output, which is added; 0: it is not read
  bool                clearsBorder{ false }; ///< sets vectors on the border of the grid to 0
};

/** \brief Smooths fields along time, with the first and the last one repeated outside.
 *
 * \param[in] shape shape of each field
 * \param[in] input one field per time point
 * \param[in] smoothing weights and the other options
 * \param[in,out] output one field per time point; may be the fields of the input
 * \param[in] residence memory of the backend
 * \exception std::invalid_argument a shape or a number of fields that is not allowed */
void
SmoothInTime(const FieldShape &                shape,
             const std::vector<const void *> & input,
             const TimeSmoothing &             smoothing,
             const std::vector<void *> &       output,
             const Residence &                 residence);

/** @} */
} // namespace itk::CudaSpline

#endif

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
#ifndef GridPass_h
#define GridPass_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"

#include <type_traits>

/** \file
 * \brief Passes that compare two images on a grid, because a sample's value depends on its neighbours: they compute a
 * weight for each sample, with which WeightsPass computes the derivative. */

namespace itk::CudaSpline
{

/** \brief Whether a type of MetricPass is such a pass. */
template <typename TPass>
inline constexpr bool IsGridPass =
  std::is_same<TPass, LocalCorrelationPass>::value || std::is_same<TPass, GradientFieldsPass>::value;

/** \brief The images of such a pass, and the derivative with respect to the moving one. */
struct GridComparison
{
  FieldGrid              grid;         ///< grid of all arrays
  ScalarType             pixel;        ///< type of both images: Float32 or Float64
  ScalarType             arithmetic;   ///< see LocalCorrelationDescriptor
  ScalarType             element;      ///< type of the derivative: Float32 or Float64
  bool                   factorsAlone; ///< the derivative is one number per sample; else a vector
  LocalCorrelationImages images;       ///< arrays to compare
  void *                 derivative;   ///< in the memory of the backend; null: not computed
};

/** \brief Compares the images of a pass; waits.
 *
 * \param[in] pass parameters
 * \param[in] comparison images and derivative
 * \param[in] residence memory of the backend
 * \return count and values, except for the last one */
///@{
MetricResult
CompareOnGrid(const LocalCorrelationPass & pass, const GridComparison & comparison, const Residence & residence);
MetricResult
CompareOnGrid(const GradientFieldsPass & pass, const GridComparison & comparison, const Residence & residence);
///@}

} // namespace itk::CudaSpline

#endif

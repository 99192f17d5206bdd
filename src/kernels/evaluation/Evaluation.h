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
#ifndef Evaluation_h
#define Evaluation_h

#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"
#include "itkCudaSpline/math/TensorProduct.h"

#include "kernels/evaluation/EvaluationArguments.h"

#include <cmath>

namespace itk::CudaSpline
{

/** \brief One component of the gradient times the gradient map. */
template <unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
MappedGradient(const EvaluationArguments<VDimension> & arguments, const Jet<VDimension, TReal> & jet, unsigned int row)
{
  double sum = 0.0;
  for (unsigned int c = 0; c < VDimension; ++c)
  {
    sum += arguments.gradientMap[row][c] * static_cast<double>(jet.gradient[c]);
  }
  return sum;
}

/** \brief Stores a jet: the value, and its derivatives times the gradient map. */
template <Derivatives VDerivatives, unsigned int VDimension, typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_DEVICE_INLINE void
StoreJet(const EvaluationArguments<VDimension> & arguments, const Jet<VDimension, TReal> & jet, std::int64_t at)
{
  if (arguments.output != nullptr)
  {
    StoreScalar(arguments.output, arguments.outputType, at, jet.value);
  }
  const auto & map = arguments.gradientMap;
  if (arguments.gradients != nullptr)
  {
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      StoreScalar(arguments.gradients, arguments.outputType, at * VDimension + r, MappedGradient(arguments, jet, r));
    }
  }
  if constexpr (HasOrder(VDerivatives, 2))
  {
    for (unsigned int r = 0; r < VDimension && arguments.hessians != nullptr; ++r)
    {
      double row[VDimension]; // row of M H
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        row[c] = 0.0;
        for (unsigned int k = 0; k < VDimension; ++k)
        {
          const unsigned int entry = k <= c ? SymmetricEntry(k, c, VDimension) : SymmetricEntry(c, k, VDimension);
          row[c] += map[r][k] * static_cast<double>(jet.hessian[entry]);
        }
      }
      for (unsigned int c = r; c < VDimension; ++c)
      {
        double sum = 0.0;
        for (unsigned int k = 0; k < VDimension; ++k)
        {
          sum += row[k] * map[c][k];
        }
        StoreScalar(arguments.hessians,
                    arguments.outputType,
                    at * SymmetricEntries(VDimension) + SymmetricEntry(r, c, VDimension),
                    sum);
      }
    }
  }
}

/** \brief Stores the value outside the bounds: the nearest sample, or the default pixel. */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_DEVICE_INLINE void
StoreOutside(const EvaluationArguments<VDimension> & arguments, const double (&index)[VDimension], std::int64_t at)
{
  bool         extrapolated = arguments.extrapolation != nullptr;
  std::int64_t offset = 0;
  std::int64_t stride = 1;
  for (unsigned int d = 0; d < VDimension && extrapolated; ++d)
  {
    const auto first = static_cast<double>(arguments.extent.start[d]);
    const auto last = static_cast<double>(arguments.extent.start[d] + arguments.extent.size[d] - 1);
    extrapolated = !std::isnan(index[d]); // NaN has no nearest sample
    // Clamped before it is rounded: any number is then an index.
    const double clamped = !extrapolated || index[d] < first ? first : (index[d] > last ? last : index[d]);
    // Rounded in the type of ITK's index.
    const std::int64_t rounded =
      arguments.singleCoordinates ? NearestIndex(static_cast<float>(clamped)) : NearestIndex(clamped);
    const std::int64_t nearest = extrapolated ? rounded - arguments.extent.start[d] : 0;
    offset += (nearest < arguments.extent.size[d] ? nearest : arguments.extent.size[d] - 1) * stride;
    stride *= arguments.extent.size[d];
  }
  for (int c = 0; c < arguments.components; ++c)
  {
    const std::int64_t to = at * arguments.components + c;
    if (extrapolated)
    {
      StoreScalar(arguments.output,
                  arguments.outputType,
                  to,
                  LoadScalar<double>(
                    arguments.extrapolation, arguments.extrapolationElement, offset + c * arguments.planeStride));
    }
    else
    {
      StoreBits(arguments.output,
                to,
                arguments.defaultPixels != nullptr ? arguments.defaultPixels[c] : arguments.defaultPixel,
                SizeOf(arguments.outputType));
    }
  }
}

/** \brief Stores the components of an output sample one by one. */
template <unsigned int VDimension>
struct PixelStore
{
  const EvaluationArguments<VDimension> & arguments; ///< the output
  std::int64_t                            at;        ///< number of the output sample

  /** Stores a component. */
  template <typename TReal>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(int component, TReal value) const
  {
    StoreScalar(arguments.output, arguments.outputType, at * arguments.components + component, value);
  }
};

/** \brief The body of every evaluating kernel: computes the pixel and the derivatives of one output sample from its
 * continuous index.
 *
 * \tparam TMethod see InterpolationMethods.h
 * \param[in] arguments the arguments
 * \param[in] index continuous index
 * \param[in] at number of the output sample
 * \param[in] put called with component and value if only values are evaluated, by a method that has them */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension, typename TPut>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
EvaluateIndex(const EvaluationArguments<VDimension> & arguments,
              const double (&index)[VDimension],
              std::int64_t at,
              const TPut & put)
{
  const bool inside = arguments.IsInside(index);
  if (arguments.inside != nullptr)
  {
    arguments.inside[at] = inside ? 1 : 0;
  }
  if constexpr (VDerivatives == Derivatives::None)
  {
    if (!inside)
    {
      StoreOutside(arguments, index, at);
    }
    else if constexpr (TMethod::HasValues)
    {
      TMethod::Values(arguments, index, put);
    }
    else
    {
      TMethod::Store(arguments, index, at);
    }
  }
  else
  {
    Jet<VDimension, typename TMethod::Real> jet;
    if (inside)
    {
      TMethod::template Evaluate<VDerivatives>(arguments, index, jet);
    }
    StoreJet<VDerivatives>(arguments, jet, at);
    if (!inside && arguments.output != nullptr)
    {
      StoreBits(arguments.output, at, arguments.defaultPixel, SizeOf(arguments.outputType));
    }
  }
}

/** \brief The same, with each component stored separately. */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
EvaluateIndex(const EvaluationArguments<VDimension> & arguments, const double (&index)[VDimension], std::int64_t at)
{
  EvaluateIndex<TMethod, VDerivatives>(arguments, index, at, PixelStore<VDimension>{ arguments, at });
}

/** \brief EvaluateIndex() for an output sample, given by its position in the list or on the scanline.
 *
 * \param[in] line line of the slab
 * \param[in] sample requested sample of the line */
template <typename TMethod, Derivatives VDerivatives, unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
EvaluateSample(const EvaluationArguments<VDimension> & arguments, std::int64_t line, std::int64_t sample)
{
  const std::int64_t at = line * arguments.samples + sample;
  if (at < arguments.count)
  {
    double index[VDimension];
    arguments.IndexOf(line, sample, index);
    EvaluateIndex<TMethod, VDerivatives>(arguments, index, at);
  }
}

} // namespace itk::CudaSpline

#endif

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
#ifndef JointHistogramBody_h
#define JointHistogramBody_h

#include "itkCudaSpline/kernels/gradients/JointHistogram.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/SplineWeights.h"

#include "kernels/metrics/mutual_information/ParzenWindow.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief The computation of joint histograms for host and device. */

namespace itk::CudaSpline
{

void
AccumulateJointHistogramOnCpu(const JointSamples & samples, void * joint, const ExecutionContext & context);
void
AccumulateJointHistogramOnCuda(const JointSamples & samples, void * joint, const ExecutionContext & context);
void
DifferentiateJointHistogramOnCpu(const JointSamples &     samples,
                                 const void *             weights,
                                 void *                   fixedGradient,
                                 void *                   movingGradient,
                                 const ExecutionContext & context);
void
DifferentiateJointHistogramOnCuda(const JointSamples &     samples,
                                  const void *             weights,
                                  void *                   fixedGradient,
                                  void *                   movingGradient,
                                  const ExecutionContext & context);

/** \brief Arguments of the computation. Passed by value. */
template <typename TReal>
struct JointArguments
{
  std::int64_t         count;
  int                  bins;
  const TReal *        fixed;
  const TReal *        moving;
  const std::uint8_t * mask;
  const TReal *        ends;
};

template <typename TReal>
JointArguments<TReal>
JointArgumentsOf(const JointSamples & samples)
{
  return { samples.count,
           static_cast<int>(samples.bins),
           static_cast<const TReal *>(samples.fixed),
           static_cast<const TReal *>(samples.moving),
           samples.mask,
           static_cast<const TReal *>(samples.ends) };
}

/** \brief Maps values of an image to bins. */
template <typename TReal>
struct BinScale
{
  TReal least;
  TReal most;
  TReal scale; ///< bins per unit of the value

  /** \param[in] ends minimum and maximum */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE
  BinScale(const TReal * ends, int bins)
    : least(ends[0])
    , most(ends[1])
    , scale(static_cast<TReal>(bins - 5) / (most > least ? most - least : TReal(1)))
  {}

  /** Returns the position of a value in the histogram. \p slope is its derivative with respect to the value. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE TReal
  Place(TReal value, TReal & slope) const
  {
    const bool isInside = value >= least && value <= most;
    slope = isInside ? scale : TReal(0);
    const TReal reached = value < least ? TReal(0) : (value > most ? most - least : value - least);
    return reached * scale + TReal(2);
  }
};

/** \brief The bins of a sample along an axis. */
template <typename TReal>
struct BinTaps
{
  int   first;
  TReal weights[ParzenTaps];
  TReal slope;    ///< derivative of the position in the histogram with respect to the value
  TReal position; ///< position within the support

  /** Returns false for NaN. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  Find(const BinScale<TReal> & scale, TReal value, int bins)
  {
    const TReal place = scale.Place(value, slope);
    if (!(place >= TReal(0)))
    {
      return false;
    }
    // Stays within the histogram for any rounding of the place: the last support begins at bins - 4.
    const int cell = static_cast<int>(place);
    first = (cell < bins - 3 ? cell : bins - 3) - 1;
    position = place - static_cast<TReal>(first + 1);
    SplineWeights<3>(position, weights);
    return true;
  }
};

/** \brief Adds a sample to a histogram.
 *
 * \param[in,out] histogram provides Add(bin, weight) */
template <typename TReal, typename THistogram>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
SpreadSample(const JointArguments<TReal> & arguments,
             const BinScale<TReal> &       ofFixed,
             const BinScale<TReal> &       ofMoving,
             std::int64_t                  i,
             THistogram &                  histogram)
{
  if (arguments.mask != nullptr && arguments.mask[i] == 0)
  {
    return;
  }
  BinTaps<TReal> fixed;
  BinTaps<TReal> moving;
  if (!fixed.Find(ofFixed, arguments.fixed[i], arguments.bins) ||
      !moving.Find(ofMoving, arguments.moving[i], arguments.bins))
  {
    return;
  }
  for (int k = 0; k < ParzenTaps; ++k)
  {
    TReal weights[ParzenTaps];
    for (int l = 0; l < ParzenTaps; ++l)
    {
      weights[l] = fixed.weights[k] * moving.weights[l];
    }
    AddWindow((fixed.first + k) * arguments.bins + moving.first, weights, histogram);
  }
}

/** \brief Computes the gradients for a sample.
 *
 * \param[out] ofFixed, ofMoving written if not null */
template <typename TReal>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
DifferentiateSample(const JointArguments<TReal> & arguments,
                    const BinScale<TReal> &       scaleOfFixed,
                    const BinScale<TReal> &       scaleOfMoving,
                    std::int64_t                  i,
                    const TReal *                 weights,
                    TReal *                       ofFixed,
                    TReal *                       ofMoving)
{
  TReal byFixed = 0;
  TReal byMoving = 0;
  if (arguments.mask == nullptr || arguments.mask[i] != 0)
  {
    BinTaps<TReal> fixed;
    BinTaps<TReal> moving;
    if (fixed.Find(scaleOfFixed, arguments.fixed[i], arguments.bins) &&
        moving.Find(scaleOfMoving, arguments.moving[i], arguments.bins))
    {
      TReal slopesOfFixed[ParzenTaps];
      TReal slopesOfMoving[ParzenTaps];
      SplineDerivativeWeights<3>(fixed.position, slopesOfFixed);
      SplineDerivativeWeights<3>(moving.position, slopesOfMoving);
      for (int k = 0; k < ParzenTaps; ++k)
      {
        const TReal * const row = weights + (fixed.first + k) * arguments.bins + moving.first;
        byFixed += slopesOfFixed[k] * ContractWindow(moving.weights, row);
        byMoving += fixed.weights[k] * ContractWindow(slopesOfMoving, row);
      }
      byFixed *= fixed.slope;
      byMoving *= moving.slope;
    }
    else
    {
      byFixed = byMoving = static_cast<TReal>(NAN);
    }
  }
  if (ofFixed != nullptr)
  {
    ofFixed[i] = byFixed;
  }
  if (ofMoving != nullptr)
  {
    ofMoving[i] = byMoving;
  }
}

} // namespace itk::CudaSpline

#endif

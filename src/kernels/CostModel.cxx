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
#include "itkCudaSpline/kernels/CostModel.h"

#include <algorithm>
#include <cmath>

namespace itk::CudaSpline
{

namespace
{
/** Double precision moves twice the bytes and has half the lanes. */
double
WeightOf(const SourceDescriptor & source)
{
  return source.element == ScalarType::Float64 ? 2.0 : 1.0;
}

/** Samples that a value is made of, an axis; 0 where they are only moved. */
double
SupportOf(const InterpolationDescriptor & method, const SourceDescriptor & source, unsigned int axis)
{
  switch (method.interpolation)
  {
    case Interpolation::Nearest:
      return 0.0;
    case Interpolation::Linear:
      return 2.0;
    case Interpolation::CatmullRom:
      return 4.0;
    case Interpolation::WindowedSinc:
      return 2.0 * method.radius;
    case Interpolation::LabelGaussian:
      return 2.0 * method.cutOff[axis] + 1.0;
    case Interpolation::BSpline:
      break;
  }
  return source.order + 1.0;
}

/** Samples that a value is made of; those of double precision count twice. */
double
TapsOf(const InterpolationDescriptor & method, const SourceDescriptor & source)
{
  double taps = WeightOf(source);
  for (unsigned int d = 0; d < source.dimension; ++d)
  {
    taps *= SupportOf(method, source, d);
  }
  return taps;
}

/** Numbers that the transforms of a chain read for a sample, of double precision. */
double
StageTapsOf(const TransformChain * chain, unsigned int dimension)
{
  double taps = 0.0;
  for (std::size_t i = 0; chain != nullptr && i < chain->stages.size(); ++i)
  {
    const TransformChain::Stage & stage = chain->stages[i];
    if (stage.kind != TransformKind::Affine)
    {
      const double support = stage.kind == TransformKind::BSpline ? stage.order + 1.0 : (stage.nearest ? 1.0 : 2.0);
      taps += 2.0 * dimension * std::pow(support, dimension);
    }
  }
  return taps;
}
} // namespace

OperationWork
operator+(const OperationWork & first, const OperationWork & second)
{
  OperationWork sum = first;
  sum.uploadBytes += second.uploadBytes;
  sum.convertSamples += second.convertSamples;
  sum.filterPasses += second.filterPasses;
  sum.samples += second.samples;
  sum.taps += second.taps;
  sum.downloadBytes += second.downloadBytes;
  return sum;
}

OperationWork
CountSourceWork(const SourceDescriptor & source)
{
  OperationWork work;
  const auto    count = static_cast<double>(source.Elements());
  work.uploadBytes = static_cast<double>(source.PixelBytes());
  work.convertSamples = (source.element != source.pixel ? count : 0.0) +
                        (source.storage != CoefficientStorage::Element ? 2.0 * count : 0.0); // measured, and stored
  if (source.NeedsFilter())
  {
    const auto axes = std::count_if(source.size.begin(), source.size.end(), [](std::int64_t size) { return size > 1; });
    // A pole, or eight taps: about the same work.
    const unsigned int poles = source.order / 2;
    const double passes = source.method.kind == PrefilterMethod::Kind::Fir ? std::max(1.0, source.method.taps / 8.0)
                                                                           : static_cast<double>(poles);
    work.filterPasses = count * static_cast<double>(axes) * passes * WeightOf(source);
  }
  return work;
}

OperationWork
CountPrefilterWork(const SourceDescriptor & source)
{
  OperationWork work = CountSourceWork(source);
  work.downloadBytes = static_cast<double>(source.Bytes());
  return work;
}

OperationWork
CountResampleWork(const SourceDescriptor & source, const ResampleDescriptor & resample)
{
  OperationWork work;
  work.samples = static_cast<double>(resample.samples) * static_cast<double>(resample.lines);
  work.taps =
    work.samples * (TapsOf(resample, source) * source.components + StageTapsOf(resample.chain, source.dimension));
  work.downloadBytes = work.samples * static_cast<double>(SizeOf(resample.output)) * source.components;
  if (resample.chain != nullptr)
  {
    work.uploadBytes = static_cast<double>(resample.chain->Bytes(source.dimension));
  }
  else if (resample.indexProvider)
  {
    work.uploadBytes = work.samples * source.dimension * static_cast<double>(sizeof(double));
  }
  return work;
}

OperationWork
CountDisplacementWork(const DisplacementDescriptor & displacements)
{
  OperationWork work;
  work.samples = static_cast<double>(displacements.samples) * static_cast<double>(displacements.lines);
  work.taps = work.samples * StageTapsOf(displacements.chain, displacements.dimension);
  work.downloadBytes = work.samples * static_cast<double>(SizeOf(displacements.output)) * displacements.dimension;
  work.uploadBytes = displacements.chain != nullptr
                       ? static_cast<double>(displacements.chain->Bytes(displacements.dimension))
                       : 2.0 * sizeof(double) * displacements.dimension * static_cast<double>(displacements.lines);
  return work;
}

OperationWork
CountPointsWork(const SourceDescriptor & source, const PointsDescriptor & points)
{
  OperationWork work;
  const double  dimension = source.dimension;
  // A gradient takes about as long again as its value, a Hessian twice that.
  const double passes = 1.0 + static_cast<double>(points.derivatives);
  const double element = static_cast<double>(SizeOf(points.output));
  const double entries = (points.values != nullptr ? 1.0 : 0.0) + (points.gradients != nullptr ? dimension : 0.0) +
                         (points.hessians != nullptr ? SymmetricEntries(source.dimension) : 0.0);
  work.samples = static_cast<double>(points.count);
  work.uploadBytes = work.samples * dimension * static_cast<double>(SizeOf(points.pointType));
  work.taps = work.samples * TapsOf(points, source) * passes;
  work.downloadBytes = work.samples * (element * entries + (points.inside != nullptr ? 1.0 : 0.0));
  return work;
}

double
EstimateSeconds(const OperationWork & work, const HostSpeeds & speeds, unsigned int threads)
{
  // Waking the threads, for which nothing is measured: small against anything that is worth a choice.
  constexpr double perOperation = 5e-5;
  const double     total = work.convertSamples * speeds.convert + work.filterPasses * speeds.filter +
                       work.samples * speeds.sample + work.taps * speeds.tap;
  return perOperation + total * speeds.threads / std::max(1U, threads);
}

double
EstimateSeconds(const OperationWork & work, const DeviceSpeeds & speeds)
{
  return speeds.operation + work.uploadBytes * speeds.upload + work.filterPasses * speeds.filter +
         work.samples * speeds.sample + work.taps * speeds.tap + work.downloadBytes * speeds.download;
}

} // namespace itk::CudaSpline

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
/** \file
 * \brief Value and derivative of the metrics, every voxel of a volume, an affine transform, B-splines of some cells an
 * axis, or a displacement field.
 *
 *   Metric/name:meansquares/backend:cuda/size:256/order:1/precision:single/gradient:filter
 *   Metric/name:meansquares/backend:cpu/size:96/order:1/precision:single/gradient:filter/transform:bspline24
 *   Metric/name:mattes/backend:cuda/size:256/order:1/precision:single/gradient:filter/transform:field
 *   Metric/name:cc/backend:itk/size:128/order:1/precision:single/gradient:differences/transform:field
 *
 * A row is a call of GetValueAndDerivative() after the first one, which uploads; the parameters differ from call to
 * call. The backend \c itk is ITK's own metric, on all threads. Order 1 is linear interpolation. Counter \c value: that
 * of the last call, so that rows can be compared. Local correlation has windows of radius 4.
 *
 * --benchmark_out=FILE writes every repetition as JSON. */

#include "BenchmarkHarness.h"

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/itk/MetricClasses.h"

#include "itkAffineTransform.h"
#include "itkBSplineInterpolateImageFunction.h"
#include "itkBSplineTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkImageRegionIteratorWithIndex.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace
{

using ImageType = itk::Image<float, 3>;

/** Waves of some voxels: all bins of a histogram are used, and neighbours differ. */
ImageType::Pointer
MakeImage(unsigned int size, double phase)
{
  static std::map<std::pair<unsigned int, double>, ImageType::Pointer> images;
  ImageType::Pointer &                                                 image = images[{ size, phase }];
  if (image.IsNull())
  {
    image = ImageType::New();
    ImageType::RegionType region;
    for (unsigned int d = 0; d < 3; ++d)
    {
      region.SetSize(d, size);
    }
    image->SetRegions(region);
    image->Allocate();
    itk::ImageRegionIteratorWithIndex<ImageType> it(image, region);
    for (; !it.IsAtEnd(); ++it)
    {
      const auto & index = it.GetIndex();
      it.Set(static_cast<float>(100.0 * std::sin(0.11 * index[0] + phase) * std::cos(0.07 * index[1]) +
                                60.0 * std::sin(0.05 * index[2] + 0.031 * index[0]) +
                                (index[0] * 7 + index[1] * 5) % 9));
    }
  }
  return image;
}

/** A metric's settings. */
struct Cell
{
  std::string  backend;
  unsigned int size{ 256 };
  unsigned int order{ 1 };
  bool         isDouble{ false };
  bool         differences{ false };
  unsigned int cells{ 0 };     ///< cells per axis of a cubic B-spline transform
  bool         field{ false }; ///< the transform is a displacement field
};

using TransformType = itk::Transform<double, 3, 3>;

TransformType::Pointer
MakeTransform(const Cell & cell)
{
  if (cell.field)
  {
    using FieldType = itk::DisplacementFieldTransform<double, 3>::DisplacementFieldType;
    const auto image = MakeImage(cell.size, 0.0);
    auto       field = FieldType::New();
    field->CopyInformation(image);
    field->SetRegions(image->GetBufferedRegion());
    field->Allocate();
    for (itk::ImageRegionIteratorWithIndex<FieldType> it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      FieldType::PixelType move;
      for (unsigned int d = 0; d < 3; ++d)
      {
        move[d] = 0.7 * std::cos(0.13 * static_cast<double>(it.GetIndex()[(d + 1) % 3]));
      }
      it.Set(move);
    }
    auto transform = itk::DisplacementFieldTransform<double, 3>::New();
    transform->SetDisplacementField(field);
    return transform.GetPointer();
  }
  if (cell.cells == 0)
  {
    auto affine = itk::AffineTransform<double, 3>::New();
    affine->Rotate(0, 1, 0.06);
    affine->Rotate(1, 2, 0.04);
    return affine.GetPointer();
  }
  using SplineType = itk::BSplineTransform<double, 3, 3>;
  auto                               spline = SplineType::New();
  SplineType::PhysicalDimensionsType extent;
  SplineType::MeshSizeType           mesh;
  extent.Fill(cell.size - 1.0);
  mesh.Fill(cell.cells);
  spline->SetTransformDomainPhysicalDimensions(extent);
  spline->SetTransformDomainMeshSize(mesh);
  auto parameters = spline->GetParameters();
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    parameters[p] = 0.7 * std::cos(1.3 * p);
  }
  spline->SetParametersByValue(parameters);
  return spline.GetPointer();
}

/** Sets the radius of windows for metrics that have windows. */
///@{
template <typename TMetric>
auto
SetWindows(TMetric & metric, int) -> decltype(metric.SetRadius(typename TMetric::RadiusType()))
{
  metric.SetRadius(TMetric::RadiusType::Filled(4));
}
template <typename TMetric>
void
SetWindows(TMetric &, long)
{}
///@}

template <typename TMetric>
void
Measure(benchmark::State & state, const Cell & cell)
{
  auto metric = TMetric::New();
  metric->SetFixedImage(MakeImage(cell.size, 0.0));
  metric->SetMovingImage(MakeImage(cell.size, 0.4));
  const auto transform = MakeTransform(cell);
  metric->SetMovingTransform(transform);
  if (cell.order > 1)
  {
    auto spline = itk::BSplineInterpolateImageFunction<ImageType, double>::New();
    spline->SetSplineOrder(cell.order);
    metric->SetMovingInterpolator(spline);
  }
  SetWindows(*metric, 0);
  metric->SetUseMovingImageGradientFilter(!cell.differences);
  metric->SetUseFixedImageGradientFilter(!cell.differences);
  if constexpr (std::is_base_of<itk::CudaSplineImageMetric<typename TMetric::Superclass::Superclass>, TMetric>::value)
  {
    metric->SetGPUEnabled(cell.backend == "cuda");
    metric->SetPrecision(cell.isDouble ? itk::CudaSplinePrecision::Double : itk::CudaSplinePrecision::Single);
  }
  metric->Initialize();
  double                           value = 0.0;
  typename TMetric::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  auto parameters = transform->GetParameters();
  for (auto _ : state)
  {
    parameters[9] = parameters[9] > 1.0 ? 0.0 : parameters[9] + 0.01;
    if (!cell.field) // the parameters are the field itself: an optimizer adds to them in place
    {
      transform->SetParameters(parameters);
    }
    metric->GetValueAndDerivative(value, derivative);
  }
  if constexpr (std::is_base_of<itk::CudaSplineImageMetric<typename TMetric::Superclass::Superclass>, TMetric>::value)
  {
    const auto wanted = cell.backend == "cuda" ? itk::CudaSpline::Backend::Cuda : itk::CudaSpline::Backend::Cpu;
    if (metric->GetLastBackend() != wanted)
    {
      state.SkipWithError(("another backend answered: " + metric->GetFallbackReason()).c_str());
    }
  }
  state.counters["value"] = value;
  state.counters["points"] = static_cast<double>(metric->GetNumberOfValidPoints());
}

/** Adds the cell with the module's metric or with ITK's. */
template <typename TOurs, typename TItk>
void
Register(const std::string & name, const Cell & cell)
{
  const std::string title = "Metric/name:" + name + "/backend:" + cell.backend + "/size:" + std::to_string(cell.size) +
                            "/order:" + std::to_string(cell.order) +
                            "/precision:" + (cell.isDouble ? "double" : "single") +
                            "/gradient:" + (cell.differences ? "differences" : "filter") +
                            (cell.field       ? "/transform:field"
                             : cell.cells > 0 ? "/transform:bspline" + std::to_string(cell.cells)
                                              : "");
  auto * const row =
    benchmark::RegisterBenchmark(title.c_str(), cell.backend == "itk" ? Measure<TItk> : Measure<TOurs>, cell);
  row->UseRealTime()->Unit(benchmark::kMillisecond);
}

/** \tparam TMetric one of itk::CudaSpline::MetricTypes */
template <typename TMetric>
void
RegisterMetric(const Cell & cell)
{
  using Classes = itk::CudaSplineDetail::MetricClass<TMetric>;
  Register<typename Classes::template Ours<ImageType, ImageType>,
           typename Classes::template Theirs<ImageType, ImageType>>(TMetric::Word, cell);
}

} // namespace

int
main(int argc, char ** argv)
{
  std::vector<std::string> backends{ "cpu", "itk" };
  if (itk::CudaSpline::DeviceCount() > 0)
  {
    backends.insert(backends.begin(), "cuda");
  }
  for (const std::string & backend : backends)
  {
    for (const unsigned int size : { 64U, 128U, 256U })
    {
      for (const unsigned int order : { 1U, 3U })
      {
        for (const bool isDouble : { false, true })
        {
          for (const bool differences : { false, true })
          {
            Cell cell;
            cell.backend = backend;
            cell.size = size;
            cell.order = order;
            cell.isDouble = isDouble;
            cell.differences = differences;
            itk::CudaSplineDetail::ForEachMetricClass([&cell](auto metric) {
              using Metric = decltype(metric);
              if constexpr (Metric::HasParameterDerivative && !Metric::HasWindows)
              {
                RegisterMetric<Metric>(cell);
              }
            });
          }
        }
      }
    }
  }
  for (const std::string & backend : backends)
  {
    for (const unsigned int size : { 64U, 96U, 256U })
    {
      for (const unsigned int cells : { 1U, 4U, 24U })
      {
        Cell cell;
        cell.backend = backend;
        cell.size = size;
        cell.cells = cells;
        const bool isItk = cell.backend == "itk";
        if (!isItk || size < 256)
        {
          RegisterMetric<itk::CudaSpline::MeanSquaresMetric>(cell);
        }
        if (!isItk) // ITK's mutual information stores a derivative of each bin by each parameter: gigabytes
        {
          RegisterMetric<itk::CudaSpline::CorrelationMetric>(cell);
          RegisterMetric<itk::CudaSpline::MattesMetric>(cell);
        }
      }
      Cell cell;
      cell.backend = backend;
      cell.size = size;
      cell.field = true;
      RegisterMetric<itk::CudaSpline::MeanSquaresMetric>(cell);
      RegisterMetric<itk::CudaSpline::MattesMetric>(cell);
    }
  }
  for (const std::string & backend : backends)
  {
    for (const bool isDouble : { false, true })
    {
      Cell cell;
      cell.backend = backend;
      cell.size = 128;
      cell.isDouble = isDouble;
      cell.differences = true;
      cell.field = true;
      RegisterMetric<itk::CudaSpline::LocalCorrelationMetric>(cell);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
  {
    return 1;
  }
  return RunCells();
}

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
#include "kernels/fields/sliding/FieldRegions.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"

#include "kernels/fields/common/FieldLoopCpu.h"
#include "kernels/fields/sliding/RegionPass.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
template <typename TReal>
void
Run(const RegionPass<TReal> & pass, const Residence & residence)
{
  if (residence.IsOnDevice())
  {
    RunRegionPassOnCuda(pass, residence);
    return;
  }
  ForEachSampleOnCpu(pass.walk, residence, pass);
}

/** A pass over a grid. */
template <typename TReal>
RegionPass<TReal>
MakePass(RegionStep step, const FieldGrid & grid, const std::uint8_t * regions)
{
  RegionPass<TReal> pass{};
  pass.step = step;
  pass.dimension = grid.dimension;
  pass.walk = WalkOf(grid);
  pass.regions = regions;
  std::copy_n(grid.start.begin(), 3, pass.start);
  for (unsigned int r = 0; r < grid.dimension; ++r)
  {
    std::copy_n(grid.pointToIndex[r].begin(), grid.dimension, pass.pointToIndex[r]);
    std::copy_n(grid.indexToPoint[r].begin(), grid.dimension, pass.indexToPoint[r]);
  }
  return pass;
}

/** A pass that interpolates a field of one grid at the points of another one. */
template <typename TReal>
RegionPass<TReal>
MakeInterpolation(const FieldGrid &    inputGrid,
                  const void *         input,
                  const std::uint8_t * inputRegions,
                  const FieldGrid &    outputGrid,
                  void *               output,
                  const std::uint8_t * outputRegions)
{
  RegionPass<TReal> pass = MakePass<TReal>(RegionStep::Interpolate, inputGrid, outputRegions);
  pass.walk = WalkOf(outputGrid);
  pass.smooth = static_cast<const TReal *>(input);
  pass.smoothRegions = inputRegions;
  pass.smoothWalk = WalkOf(inputGrid);
  pass.output = static_cast<TReal *>(output);
  for (unsigned int r = 0; r < inputGrid.dimension; ++r)
  {
    pass.toSmooth[r][3] = -static_cast<double>(inputGrid.start[r]);
    for (unsigned int k = 0; k < inputGrid.dimension; ++k)
    {
      double first = outputGrid.origin[k] - inputGrid.origin[k];
      for (unsigned int c = 0; c < inputGrid.dimension; ++c)
      {
        first += outputGrid.indexToPoint[k][c] * static_cast<double>(outputGrid.start[c]);
        pass.toSmooth[r][c] += inputGrid.pointToIndex[r][k] * outputGrid.indexToPoint[k][c];
      }
      pass.toSmooth[r][3] += inputGrid.pointToIndex[r][k] * first;
    }
  }
  return pass;
}
} // namespace

template <typename TRun>
void
FieldRegions::Dispatch(const TRun & run) const
{
  DispatchField(
    m_Shape.grid.dimension, m_Shape.element, [&](auto compiled) { run(typename decltype(compiled)::Real()); });
}

FieldRegions::FieldRegions(const SlidingRegions & map, const FieldShape & shape, const Residence & residence)
  : m_Map(map)
  , m_Shape(shape)
  , m_Residence(residence)
{
  if (!map.IsUsed())
  {
    return;
  }
  if (map.grid.dimension != shape.grid.dimension || map.count > MaxSlidingRegions || map.codes == nullptr)
  {
    throw std::invalid_argument("A map of sliding regions has " + std::to_string(map.grid.dimension) +
                                " dimensions and " + std::to_string(map.count) + " regions; fields of " +
                                std::to_string(shape.grid.dimension) + " dimensions with at most " +
                                std::to_string(MaxSlidingRegions) + " regions are supported.");
  }
  const std::vector<std::uint8_t> regions = this->ResampleMap(shape.grid);
  m_Regions = ResidentArray(regions.size(), residence);
  Upload(m_Regions.Data(), regions.data(), regions.size(), residence);
  std::array<std::int64_t, 256> counts{};
  for (const std::uint8_t region : regions)
  {
    ++counts[region];
  }
  m_Rest = static_cast<unsigned int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
  for (unsigned int region = 0; region < counts.size(); ++region)
  {
    if (region != m_Rest && counts[region] > 0)
    {
      m_Others.push_back(region);
    }
  }
  if (this->AreUsed())
  {
    m_Normals = ResidentArray(shape.Bytes(), residence);
    m_Masked = ResidentArray(shape.Bytes(), residence);
    m_Smoothed = ResidentArray(shape.Bytes(), residence);
  }
}

std::vector<std::uint8_t>
FieldRegions::ResampleMap(const FieldGrid & grid) const
{
  const auto           mapped = static_cast<std::size_t>(m_Map.grid.Count());
  const auto           count = static_cast<std::size_t>(grid.Count());
  const std::uint8_t * codes = m_Map.codes.get();
  if (grid == m_Map.grid)
  {
    return { codes, codes + count };
  }
  // The region whose indicator is largest there. Samples of a coarse level are in the middle between voxels of the map:
  // of regions that are alike, the one with the lower code is taken, whatever the directions of the axes.
  constexpr float           alike = 1e-3F;
  std::vector<std::uint8_t> regions(count, 0);
  std::vector<float>        largest(count, 0.0F);
  std::vector<float>        indicator(mapped);
  std::vector<float>        resampled(count);
  const ResidentArray       input(mapped * sizeof(float), m_Residence);
  const ResidentArray       output(count * sizeof(float), m_Residence);
  ImageWarp                 warp;
  warp.input = m_Map.grid;
  warp.output = grid;
  for (unsigned int code = 0; code < m_Map.count; ++code)
  {
    std::transform(
      codes, codes + mapped, indicator.begin(), [code](std::uint8_t one) { return one == code ? 1.0F : 0.0F; });
    Upload(input.Data(), indicator.data(), input.Bytes(), m_Residence);
    WarpImage(warp, input.Data(), output.Data(), m_Residence);
    Download(resampled.data(), output.Data(), output.Bytes(), m_Residence);
    for (std::size_t n = 0; n < count; ++n)
    {
      if (resampled[n] > largest[n] + alike)
      {
        largest[n] = resampled[n];
        regions[n] = static_cast<std::uint8_t>(code);
      }
    }
  }
  return regions;
}

template <typename TPass>
void
FieldRegions::SmoothRegion(TPass pass, const void * input, const FieldSmoothing & gaussian, void * scratch) const
{
  pass.step = RegionStep::Mask;
  pass.input = static_cast<decltype(pass.input)>(input);
  pass.output = static_cast<decltype(pass.output)>(m_Masked.Data());
  Run(pass, m_Residence);
  FieldSmoothing whole = gaussian;
  whole.blends = false;
  SmoothField(m_Shape, m_Masked.Data(), whole, m_Smoothed.Data(), scratch, m_Residence);
}

void
FieldRegions::AddBorders(double variance, void * normals, void * weights, void * scratch)
{
  const FieldSmoothing gaussian = MakeFieldSmoothing(m_Shape.grid, variance);
  this->Dispatch([&](auto zero) {
    using Real = decltype(zero);
    RegionPass<Real> pass = MakePass<Real>(RegionStep::Border, m_Shape.grid, this->Data());
    pass.rest = m_Rest;
    for (const unsigned int region : m_Others)
    {
      pass.region = region;
      pass.isFirst = region == m_Others.front();
      this->SmoothRegion(pass, nullptr, gaussian, scratch);
      pass.smooth = m_Smoothed.As<const Real>();
      pass.output = static_cast<Real *>(normals);
      pass.weights = static_cast<Real *>(weights);
      Run(pass, m_Residence);
    }
  });
}

void
FieldRegions::Prepare(const std::array<double, 2> & variances, void * scratch)
{
  if (!this->AreUsed())
  {
    return;
  }
  for (std::size_t n = 0; n < variances.size(); ++n)
  {
    Weights & weights = m_Weights[n];
    if (weights.variance != variances[n] && variances[n] > 0.0)
    {
      weights.values = ResidentArray(m_Normals.Bytes() / m_Shape.grid.dimension, m_Residence);
      weights.variance = variances[n];
      this->AddBorders(variances[n], nullptr, weights.values.Data(), scratch);
    }
  }
  const double ofNormals = std::max({ NormalVariance, variances[0], variances[1] });
  if (m_NormalVariance != ofNormals)
  {
    m_NormalVariance = ofNormals;
    this->AddBorders(ofNormals, m_Normals.Data(), nullptr, scratch);
  }
}

void
FieldRegions::Smooth(const void * input, double variance, void * output, void * scratch) const
{
  const FieldSmoothing gaussian = MakeFieldSmoothing(m_Shape.grid, variance);
  SmoothField(m_Shape, input, gaussian, output, scratch, m_Residence);
  const Weights & weights = m_Weights[m_Weights[0].variance == variance ? 0 : 1];
  this->Dispatch([&](auto zero) {
    using Real = decltype(zero);
    RegionPass<Real> pass = MakePass<Real>(RegionStep::Smooth, m_Shape.grid, this->Data());
    pass.rest = m_Rest;
    pass.weights = weights.values.template As<Real>();
    pass.normals = m_Normals.As<const Real>();
    pass.share = static_cast<Real>(gaussian.share);
    pass.keepsBorder = gaussian.blends;
    for (const unsigned int region : m_Others)
    {
      pass.region = region;
      pass.isFirst = region == m_Others.front();
      this->SmoothRegion(pass, input, gaussian, scratch);
      pass.input = static_cast<const Real *>(input);
      pass.smooth = m_Smoothed.As<const Real>();
      pass.output = static_cast<Real *>(output);
      Run(pass, m_Residence);
    }
  });
}

void
FieldRegions::Compose(const void * displacement, void * warping) const
{
  ComposeFields(m_Shape, displacement, m_Shape, warping, m_Smoothed.Data(), m_Residence);
  this->Dispatch([&](auto zero) {
    using Real = decltype(zero);
    RegionPass<Real> pass =
      MakeInterpolation<Real>(m_Shape.grid, displacement, this->Data(), m_Shape.grid, m_Smoothed.Data(), this->Data());
    pass.input = static_cast<const Real *>(warping);
    pass.normals = m_Normals.As<const Real>();
    Run(pass, m_Residence);
  });
  CopyResident(warping, m_Smoothed.Data(), m_Shape.Bytes(), m_Residence);
}

void
FieldRegions::Resample(const FieldShape & inputShape, const void * input, void * output) const
{
  const std::vector<std::uint8_t> codes = this->ResampleMap(inputShape.grid);
  const ResidentArray             regions(codes.size(), m_Residence);
  Upload(regions.Data(), codes.data(), codes.size(), m_Residence);
  this->Dispatch([&](auto zero) {
    using Real = decltype(zero);
    Run(MakeInterpolation<Real>(inputShape.grid, input, regions.As<std::uint8_t>(), m_Shape.grid, output, this->Data()),
        m_Residence);
  });
  m_Residence.Wait(); // before the regions are released
}

std::size_t
FieldRegions::CountBytes(const SlidingRegions & map, const FieldShape & shape)
{
  const auto count = static_cast<std::size_t>(shape.grid.Count());
  return map.IsUsed() ? 3 * shape.Bytes() + 2 * count * SizeOf(shape.element) + count +
                          sizeof(float) * static_cast<std::size_t>(map.grid.Count())
                      : 0;
}

#if !defined(CUDASPLINE_HAS_CUDA)
template <typename TReal>
void
RunRegionPassOnCuda(const RegionPass<TReal> &, const Residence &)
{
  throw DeviceError(DeviceError::Kind::Unavailable, "This library was built without the CUDA Toolkit.");
}
template void
RunRegionPassOnCuda(const RegionPass<float> &, const Residence &);
template void
RunRegionPassOnCuda(const RegionPass<double> &, const Residence &);
#endif

} // namespace itk::CudaSpline

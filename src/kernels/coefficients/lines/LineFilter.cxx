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
#include "kernels/coefficients/lines/LineFilter.h"

#include "kernels/coefficients/PrefilterBackends.h"
#include "kernels/coefficients/SegmentFilterDispatch.h"

#include <type_traits>

namespace itk::CudaSpline
{

namespace
{

/** A filter of the math layer. */
template <typename TReal, typename TSegment>
class SegmentLineFilter : public LineFilter<TReal>
{
public:
  using Pack = typename LineFilter<TReal>::Pack;

  explicit SegmentLineFilter(const TSegment & segment)
    : m_Segment(segment)
  {}

  int
  GetReach() const override
  {
    return m_Segment.GetReach();
  }

  void
  Filter(const Pack * samples, Pack * coefficients) const override
  {
    m_Segment.template Run<Pack>(
      0,
      [samples](std::int64_t n) -> const Pack & { return samples[n]; },
      [coefficients](int k, const Pack & coefficient) { coefficients[k] = coefficient; });
  }

private:
  TSegment m_Segment;
};

} // namespace

template <typename TReal>
std::unique_ptr<const LineFilter<TReal>>
MakeLineFilter(const SourceDescriptor & descriptor)
{
  std::unique_ptr<const LineFilter<TReal>> filter;
  DispatchSegmentFilter<TReal>(descriptor, [&filter](const auto & segment) {
    filter = std::make_unique<SegmentLineFilter<TReal, std::decay_t<decltype(segment)>>>(segment);
  });
  return filter;
}

int
ReachOfPrefilter(const SourceDescriptor & descriptor)
{
  int        reach = 0;
  const auto ask = [&reach](const auto & segment) { reach = segment.GetReach(); };
  if (descriptor.element == ScalarType::Float64)
  {
    DispatchSegmentFilter<double>(descriptor, ask);
  }
  else
  {
    DispatchSegmentFilter<float>(descriptor, ask);
  }
  return reach;
}

template std::unique_ptr<const LineFilter<float>>
MakeLineFilter<float>(const SourceDescriptor &);
template std::unique_ptr<const LineFilter<double>>
MakeLineFilter<double>(const SourceDescriptor &);

} // namespace itk::CudaSpline

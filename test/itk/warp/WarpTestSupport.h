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
#ifndef WarpTestSupport_h
#define WarpTestSupport_h

#include "VectorTestSupport.h"

#include "itkCudaWarpImageFilter.h"

/** \file
 * \brief Fields, a grid and ITK's filter for the tests of CudaWarpImageFilter. */

namespace CudaSplineTest
{

template <typename TComponent, unsigned int VDimension>
using FieldOf = itk::Image<itk::Vector<TComponent, VDimension>, VDimension>;

/** ITK's filter, and its map from points of the output to points of the input. */
template <typename TInput, typename TOutput, typename TField>
class ItkWarp : public itk::WarpImageFilter<TInput, TOutput, TField>
{
public:
  using Self = ItkWarp;
  using Superclass = itk::WarpImageFilter<TInput, TOutput, TField>;
  using Pointer = itk::SmartPointer<Self>;
  using InputPointType = typename Superclass::PointType;
  itkCudaSplineFactorylessNewMacro(Self);

  /** Returns whether the pixels of the field are those of the output's indices. */
  bool
  IsFieldOnOutput() const
  {
    return this->m_DefFieldSameInformation;
  }

  InputPointType
  TransformPoint(const InputPointType & point) const
  {
    auto * const                          self = const_cast<Self *>(this);
    typename Superclass::DisplacementType displacement;
    itk::NumericTraits<typename Superclass::DisplacementType>::SetLength(displacement, TOutput::ImageDimension);
    if (this->IsFieldOnOutput())
    {
      displacement = this->GetDisplacementField()->GetPixel(this->GetOutput()->TransformPhysicalPointToIndex(point));
    }
    else
    {
      self->EvaluateDisplacementAtPhysicalPoint(point, displacement);
    }
    auto moved = point;
    for (unsigned int d = 0; d < TOutput::ImageDimension; ++d)
    {
      moved[d] += displacement[d];
    }
    return moved;
  }
};

/** Returns an image with the output grid of the tests. Its pixels are not needed. */
template <typename TInput>
typename TInput::Pointer
MakeGrid(const TInput * input)
{
  auto filter = itk::ResampleImageFilter<TInput, TInput>::New();
  filter->SetInput(input);
  SetOutputGrid(filter.GetPointer(), input);
  filter->UpdateOutputInformation();
  auto grid = TInput::New();
  grid->CopyInformation(filter->GetOutput());
  grid->SetRegions(filter->GetOutput()->GetLargestPossibleRegion());
  return grid;
}

/** Returns a field of another type, with the vectors of a field of MakeFieldTransform(), or with vectors of an index on
 * a grid. */
template <typename TField>
typename TField::Pointer
MakeField(unsigned int seed, const itk::ImageBase<TField::ImageDimension> * grid = nullptr)
{
  constexpr unsigned int VDimension = TField::ImageDimension;
  using Component = typename itk::CudaSplineDetail::ImageTraits<TField>::ComponentType;
  const auto   transform = MakeFieldTransform<VDimension>(seed, false);
  const auto   field = transform->GetDisplacementField();
  const auto * place = grid != nullptr ? grid : static_cast<const itk::ImageBase<VDimension> *>(field);
  auto         made = TField::New();
  made->CopyInformation(place);
  made->SetRegions(place->GetLargestPossibleRegion());
  made->SetNumberOfComponentsPerPixel(VDimension);
  made->Allocate();
  auto * const             numbers = reinterpret_cast<Component *>(made->GetBufferPointer());
  const itk::SizeValueType count = made->GetBufferedRegion().GetNumberOfPixels();
  const itk::SizeValueType from = field->GetBufferedRegion().GetNumberOfPixels();
  for (itk::SizeValueType i = 0; i < count; ++i)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      numbers[i * VDimension + d] = static_cast<Component>(field->GetBufferPointer()[(i * 7) % from][d]);
    }
  }
  return made;
}

/** Expects that a filter ran on the backend that the table specifies. */
template <typename TFilter>
void
ExpectPromisedWarp(const TFilter *     filter,
                   bool                onGpu,
                   const std::string & interpolator,
                   const std::string & pixels = "scalar")
{
  EXPECT_EQ(
    filter->GetLastBackend(),
    PromisedBackend(
      { "CudaWarpImageFilter", pixels, std::to_string(TFilter::ImageDimension), interpolator, "field", "none" }, onGpu))
    << filter->GetFallbackReason();
}

} // namespace CudaSplineTest

#endif

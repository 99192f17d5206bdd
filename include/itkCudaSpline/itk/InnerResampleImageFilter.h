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
#ifndef itkCudaSpline_itk_InnerResampleImageFilter_h
#define itkCudaSpline_itk_InnerResampleImageFilter_h

#include "itkCudaResampleImageFilter.h"
#include "itkCudaSpline/itk/TransformDescriber.h"

#include "itkProgressAccumulator.h"

namespace itk::CudaSplineDetail
{

/** \brief CudaResampleImageFilter as a part of another filter, which moves samples in another way than by a transform.
 *
 * \tparam TCoordinate coordinate type of the interpolator */
template <typename TInputImage, typename TOutputImage, typename TCoordinate = double>
class InnerResampleImageFilter : public CudaResampleImageFilter<TInputImage, TOutputImage, TCoordinate, double>
{
public:
  /** Types of ITK's conventions. */
  ///@{
  using Self = InnerResampleImageFilter;
  using Superclass = CudaResampleImageFilter<TInputImage, TOutputImage, TCoordinate, double>;
  using Pointer = SmartPointer<Self>;
  ///@}

  /** Name of the outer filter's class, so that messages name what the user made. */
  const char *
  GetNameOfClass() const override
  {
    return m_NameOfClass;
  }

  /** Takes the place and the pixels of the outer filter's input, and the place of its output.
   *
   * \param[in] input the image, whose pipeline is not touched
   * \param[in] output its information is complete
   * \param[in] outside value of samples that are outside */
  void
  SetImages(const TInputImage * input, TOutputImage * output, const typename TOutputImage::PixelType & outside)
  {
    m_Input->Graft(input);
    this->SetInput(m_Input);
    this->SetOutputParametersFromImage(output);
    this->SetDefaultPixelValue(outside);
    this->Modified(); // the images have other pixels
    this->UpdateOutputInformation();
    this->GraftOutput(output);
  }

  /** Lets the pixels of both images go. */
  void
  ReleaseImages()
  {
    m_Input->Initialize();
    this->GetOutput()->Initialize();
  }

  /** Why the kernels cannot resample; null where they can. Images and interpolator are set. */
  const char *
  GetRefusal() const
  {
    return this->RecogniseMethod().refusal;
  }

  /** Resamples for the outer filter: by its choice of backend and its threads, with its progress, into its output. */
  template <typename TFilter>
  void
  RunFor(TFilter * outer, CudaSplineBackend & backend)
  {
    m_NameOfClass = outer->GetNameOfClass();
    const auto progress = ProgressAccumulator::New();
    progress->SetMiniPipelineFilter(outer);
    progress->RegisterInternalFilter(this, 1.0F);
    this->SetMultiThreader(outer->GetMultiThreader());
    this->SetNumberOfWorkUnits(outer->GetNumberOfWorkUnits());
    this->GetBackendSelection().CopyChoice(backend);
    auto * const       wanted = dynamic_cast<const DevicePixels *>(outer->GetOutput());
    const bool         isReadOnDevice = wanted != nullptr && wanted->IsReadOnDevice();
    const DeviceReader reader(isReadOnDevice ? dynamic_cast<DevicePixels *>(this->GetOutput()) : nullptr);
    this->Update();
    backend.Record(this->GetBackendSelection());
    outer->GraftOutput(this->GetOutput());
  }

protected:
  InnerResampleImageFilter() = default;
  ~InnerResampleImageFilter() override = default;

  bool
  IsLinear() const override
  {
    return false;
  }

private:
  const char * m_NameOfClass{ "CudaResampleImageFilter" };
  /** Pixels of the outer filter's input, without its pipeline. */
  typename TInputImage::Pointer m_Input =
    static_cast<TInputImage *>(AsDeviceImage<TInputImage>(TInputImage::New().GetPointer()).GetPointer());
};

/** \brief Lets the images of an inner filter go when it ends: the filter itself is kept for the next update. */
template <typename TFilter>
class InnerImages
{
public:
  /** \param[in] filter an InnerResampleImageFilter; outlives this object */
  explicit InnerImages(TFilter & filter)
    : m_Filter(filter)
  {}
  InnerImages(const InnerImages &) = delete;
  InnerImages &
  operator=(const InnerImages &) = delete;
  ~InnerImages() { m_Filter.ReleaseImages(); }

private:
  TFilter & m_Filter;
};

} // namespace itk::CudaSplineDetail

#endif

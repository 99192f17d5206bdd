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

/** \brief CudaResampleImageFilter inside another filter, which maps samples without an itk::Transform.
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

  /** Name of the outer filter's class, so that messages name the class that the user created. */
  const char *
  GetNameOfClass() const override
  {
    return m_NameOfClass;
  }

  /** Takes the geometry and the pixels of the outer filter's input, and the geometry of its output.
   *
   * \param[in] input the image, whose pipeline is not updated
   * \param[in] output its information is complete
   * \param[in] outside value of samples outside the input */
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

  /** Releases the pixels of both images. */
  void
  ReleaseImages()
  {
    m_Input->Initialize();
    this->GetOutput()->Initialize();
  }

  /** Returns why the kernels cannot resample; null if they can. The images and the interpolator must be set. */
  const char *
  GetRefusal() const
  {
    return this->RecogniseMethod().refusal;
  }

  /** Resamples into the output of the outer filter, with its choice of backend, its threads and its progress. */
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

/** \brief Releases the images of an inner filter when it is destroyed. The filter itself is kept for the next update.
 */
template <typename TFilter>
class InnerImages
{
public:
  /** \param[in] filter an InnerResampleImageFilter, which must outlive this object */
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

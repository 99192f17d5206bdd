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
#ifndef itkCudaSpline_itk_Coefficients_h
#define itkCudaSpline_itk_Coefficients_h

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaSplineInterpolation.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/kernels/coefficients/ContentChecksum.h"

#include "itkImage.h"
#include "itkVectorImage.h"

#include <cstdint>
#include <type_traits>

namespace itk::CudaSplineDetail
{

/** \brief Identifies what coefficients were computed from. */
struct CoefficientRecord
{
  std::uint64_t    checksum{ 0 }; ///< of the pixels
  CudaSplineMethod method;        ///< order and extension
};

/** \brief Computes the B-spline coefficients of an interpolator's image with CudaBSplineDecompositionImageFilter.
 *
 * Keeps the existing coefficients if the order, the extension, the grid (region, origin, spacing, direction) and a
 * checksum of all pixels are unchanged.
 *
 * \tparam TImage image of scalars or vectors
 * \tparam TCoefficientImage image of float or double, with the same number of components
 * \param[in] self the object whose class is named in messages
 * \param[in] inputData the image; its largest possible region is in memory, or an update brings it there
 * \param[in] method order and extension
 * \param[in,out] backend the user's choice of the backend; records which backend computed the coefficients
 * \param[in,out] record identifies what \p coefficients were computed from
 * \param[in,out] coefficients the existing coefficients, or null
 * \exception ExceptionObject as CudaBSplineDecompositionImageFilter */
template <typename TObject, typename TImage, typename TCoefficientImage>
void
MakeCoefficients(const TObject *                         self,
                 const TImage *                          inputData,
                 const CudaSplineMethod &                method,
                 CudaSplineBackend &                     backend,
                 CoefficientRecord &                     record,
                 SmartPointer<const TCoefficientImage> & coefficients)
{
  using Filter = CudaBSplineDecompositionImageFilter<TImage, TCoefficientImage>;
  // The coefficients depend on the whole image: as in ITK, it is updated here.
  auto * const image = const_cast<TImage *>(inputData);
  if (image->GetSource() != nullptr)
  {
    image->UpdateOutputInformation();
    image->SetRequestedRegionToLargestPossibleRegion();
    image->Update();
  }

  auto          filter = Filter::New();
  const auto &  region = inputData->GetBufferedRegion();
  bool          isSame = false;
  std::uint64_t checksum = 0;
  // The meaning of an adaptor's bytes depends on the adaptor: only plain images are identified by their bytes.
  if constexpr (Filter::IsAccelerated)
  {
    CheckNotEmpty(self, inputData);
    const CudaSplineHostExecutor executor(filter->GetMultiThreader());
    CudaSpline::ExecutionContext context;
    context.host = &executor;
    checksum = CudaSpline::ContentChecksum(inputData->GetBufferPointer(),
                                           region.GetNumberOfPixels() * inputData->GetNumberOfComponentsPerPixel() *
                                             sizeof(typename ImageTraits<TImage>::ComponentType),
                                           context);
    isSame = coefficients.IsNotNull() && checksum == record.checksum && record.method.order == method.order &&
             record.method.extension == method.extension && coefficients->GetBufferedRegion() == region &&
             coefficients->GetNumberOfComponentsPerPixel() == inputData->GetNumberOfComponentsPerPixel() &&
             coefficients->GetSpacing() == inputData->GetSpacing() &&
             coefficients->GetOrigin() == inputData->GetOrigin() &&
             coefficients->GetDirection() == inputData->GetDirection();
  }
  if (isSame)
  {
    return;
  }
  filter->SetInput(inputData);
  constexpr unsigned int dimension = TImage::ImageDimension;
  if constexpr (std::is_same<TImage, Image<typename TImage::PixelType, dimension>>::value ||
                std::is_same<TImage, VectorImage<typename TImage::InternalPixelType, dimension>>::value)
  {
    // A pipeline writes the requested region of its input, which interpolators of other threads may share. The filter
    // therefore gets a separate image object with the same pixels. An image with a source already belongs to a
    // pipeline.
    if (image->GetSource() == nullptr)
    {
      const auto graft = TImage::New();
      graft->Graft(inputData);
      filter->SetInput(graft);
    }
  }
  filter->SetSplineOrder(method.order);
  for (unsigned int d = 0; d < dimension && method.order >= 2 && method.unbounded != CudaSplineMethod().unbounded; ++d)
  {
    filter->SetExtension(d, method.extension[d]);
  }
  filter->GetBackendSelection().CopyChoice(backend);
  filter->Update();
  backend.Record(filter->GetBackendSelection());
  coefficients = filter->GetOutput();
  record.checksum = checksum;
  record.method = method;
}

} // namespace itk::CudaSplineDetail

#endif

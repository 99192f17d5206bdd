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
#ifndef itkCudaTransformToDisplacementFieldFilter_h
#define itkCudaTransformToDisplacementFieldFilter_h

#include "itkCudaDeviceImage.h"
#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/itk/PixelTraits.h"
#include "itkCudaSpline/kernels/transforms/Displacements.h"

#include "itkTransformToDisplacementFieldFilter.h"

#include <memory>
#include <type_traits>

namespace itk
{

/** \class CudaTransformToDisplacementFieldFilter
 * \brief Displacements of a transform on a grid, on a GPU or on all threads of the host.
 *
 * Replaces TransformToDisplacementFieldFilter, with the same parameters, pipeline behaviour and results. It accelerates
 * fields of 1 to 3 dimensions of float or double vectors, for linear transforms, and in double precision for
 * BSplineTransform, DisplacementFieldTransform with ITK's linear and nearest-neighbour interpolators, and
 * CompositeTransform of these and of linear ones, nested to any depth. The superclass evaluates every other transform,
 * also on all threads; GetLastBackend() and GetFallbackReason() report this.
 *
 * \par Accuracy
 * With linear transforms results equal ITK's bit for bit. With others displacements differ by a few units of rounding
 * of the points (some 1e-13 of their magnitude) before they are rounded to the pixel's type. Points within that
 * distance of the border of a transform's grid may differ more, because the transform does not move points outside.
 *
 * \tparam TOutputImage image of vectors (mm)
 * \tparam TParametersValueType float or double, the transform's precision
 *
 * \sa TransformToDisplacementFieldFilter, CudaWarpImageFilter
 * \ingroup CudaSpline */
template <typename TOutputImage, typename TParametersValueType = double>
class ITK_TEMPLATE_EXPORT CudaTransformToDisplacementFieldFilter
  : public TransformToDisplacementFieldFilter<TOutputImage, TParametersValueType>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaTransformToDisplacementFieldFilter);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaTransformToDisplacementFieldFilter;
  using Superclass = TransformToDisplacementFieldFilter<TOutputImage, TParametersValueType>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaTransformToDisplacementFieldFilter, TransformToDisplacementFieldFilter);

  /** Type of the numbers of a displacement. */
  using ComponentType = typename CudaSplineDetail::ImageTraits<TOutputImage>::ComponentType;
  /** Dimension of the field. */
  static constexpr unsigned int ImageDimension = TOutputImage::ImageDimension;

  /** True where the module's own kernels can write such a field. */
  static constexpr bool IsAccelerated = ImageDimension <= 3 &&
                                        CudaSplineDetail::ImageTraits<TOutputImage>::IsReadable &&
                                        CudaSplineDetail::ImageTraits<TOutputImage>::Components == ImageDimension &&
                                        std::is_floating_point<ComponentType>::value;

  /** Selects the backend, and reports which one ran and the reason; see CudaSplineBackend. */
  ///@{
  itkCudaSplineBackendMacro();
  ///@}

  /** Makes the outputs as images that can be in the memory of a device, and reads inputs there; see CudaDeviceImage. */
  ///@{
  itkCudaSplineDeviceImageMacro(TOutputImage);
  ///@}

protected:
  CudaTransformToDisplacementFieldFilter() { this->SetNthOutput(0, Self::MakeOutput(0)); }
  ~CudaTransformToDisplacementFieldFilter() override = default;

  /** Prints the choice of the backend and the one that ran last. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Writes the field.
   *
   * \exception ExceptionObject an unknown device
   * \exception ProcessAborted the abort flag was set */
  void
  GenerateData() override;

private:
  /** Describes a transform that is not linear, or a linear one of which a device makes the scanlines with ITK's bits;
   * false if no kernel can. */
  bool
  DescribeChain(bool isLinear, CudaSpline::TransformChain & chain) const;

  /** Displacements at the ends of all requested scanlines, by ITK's own functions. */
  std::unique_ptr<double[]>
  MapScanlines(const CudaSpline::ExecutionContext & context) const;

  CudaSplineBackend m_Backend;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaTransformToDisplacementFieldFilter.hxx"
#endif

#endif

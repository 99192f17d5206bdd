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
#ifndef itkCudaBSplineResampleImageFunction_h
#define itkCudaBSplineResampleImageFunction_h

#include "itkCudaBSplineFunctionBase.h"

#include "itkBSplineResampleImageFunction.h"

namespace itk
{

/** \class CudaBSplineResampleImageFunction
 * \brief B-spline interpolation from an image of coefficients, with derivatives and Hessians.
 *
 * Replaces BSplineResampleImageFunction: the input image contains the coefficients, as computed by
 * CudaBSplineDecompositionImageFilter, and is not filtered. Single evaluations run on the host; batches
 * (CudaSplineInterpolateImageFunction), with values, gradients and Hessians, and the evaluation within
 * CudaResampleImageFilter run on the backend.
 *
 * With an address mode the coefficients are continued by its rule: they have to be made for the same extension
 * (CudaBSplineDecompositionImageFilter::SetExtension()). Orders 2 to 5 continue by Mirror, Reflect and GridWrap.
 *
 * Difference from ITK: short axes are folded completely, as in CudaBSplineInterpolateImageFunction.
 *
 * \par Accuracy
 * Weights, sums and results of single evaluations are double: they differ from ITK's by rounding, 1e-12 of the largest
 * coefficient. Batches compute in the type of the coefficients.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once.
 *
 * \tparam TImageType image of coefficients, float or double
 * \tparam TCoordRep float or double
 *
 * \sa BSplineResampleImageFunction, CudaBSplineDecompositionImageFilter
 * \ingroup CudaSpline */
template <typename TImageType, typename TCoordRep = float>
class ITK_TEMPLATE_EXPORT CudaBSplineResampleImageFunction
  : public CudaBSplineFunctionBase<BSplineResampleImageFunction<TImageType, TCoordRep>, TImageType, TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBSplineResampleImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaBSplineResampleImageFunction;
  using Superclass =
    CudaBSplineFunctionBase<BSplineResampleImageFunction<TImageType, TCoordRep>, TImageType, TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaBSplineResampleImageFunction, BSplineResampleImageFunction);

  /** Dimension of the image. */
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;

  /** The method of the kernels for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> *) const override
  {
    CudaSplineMethod method = this->DescribeSpline();
    method.prefilter.kind = CudaSpline::PrefilterMethod::Kind::Coefficients;
    this->RefuseUnlessSame(typeid(*this), typeid(Self), method);
    return method;
  }

protected:
  /** Without coefficients: the parent starts with an empty image of them. */
  CudaBSplineResampleImageFunction() { this->m_Coefficients = nullptr; }
  ~CudaBSplineResampleImageFunction() override = default;
};

} // namespace itk

#endif

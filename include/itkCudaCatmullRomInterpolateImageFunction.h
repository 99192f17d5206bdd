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
#ifndef itkCudaCatmullRomInterpolateImageFunction_h
#define itkCudaCatmullRomInterpolateImageFunction_h

#include "itkCudaCubicConvolutionInterpolateImageFunction.h"

namespace itk
{

/** \class CudaCatmullRomInterpolateImageFunction
 * \brief Catmull-Rom interpolation with a tension: a cubic through the samples, with continuous slope and without a
 * prefilter.
 *
 * It is cubic convolution with B = 0 and C = tension. With the default tension of 1/2 it is the cubic convolution of
 * Keys with a = -1/2 \cite{Keys1981}. Everything else is as in CudaCubicConvolutionInterpolateImageFunction.
 *
 * \par Accuracy
 * Weights, sums and results of single evaluations are double: within VDimension 40 (1 + tension / 2)^VDimension units
 * of 2^-53 of the largest absolute sample. Batches compute in float for pixels and results of at most 24 bits,
 * otherwise in double.
 *
 * \tparam TInputImage image of scalars or of several numbers per pixel
 * \tparam TCoordRep float or double
 *
 * \sa CudaCubicConvolutionInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage, typename TCoordRep = double>
class ITK_TEMPLATE_EXPORT CudaCatmullRomInterpolateImageFunction
  : public CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaCatmullRomInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaCatmullRomInterpolateImageFunction;
  using Superclass = CudaCubicConvolutionInterpolateImageFunction<TInputImage, TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaCatmullRomInterpolateImageFunction, CudaCubicConvolutionInterpolateImageFunction);

  /** Dimension of the image. */
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;

  /** Tension, without unit: the slope at a sample is the tension times the difference of its neighbours. It is C of the
   * superclass. 1/2 until it is set; only with it polynomials of degree 1 and 2 are reproduced. */
  ///@{
  virtual void
  SetTension(double tension)
  {
    this->SetC(tension);
  }
  virtual double
  GetTension() const
  {
    return this->GetC();
  }
  ///@}

  /** The method of the kernels for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

protected:
  CudaCatmullRomInterpolateImageFunction()
    : Superclass(CudaSpline::CatmullRomParameters)
  {}
  ~CudaCatmullRomInterpolateImageFunction() override = default;

  /** Prints the tension too. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaCatmullRomInterpolateImageFunction.hxx"
#endif

#endif

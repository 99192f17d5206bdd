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
#ifndef itkCudaWindowedSincInterpolateImageFunction_h
#define itkCudaWindowedSincInterpolateImageFunction_h

#include "itkCudaSplineInterpolateImageFunction.h"
#include "itkCudaSpline/itk/WindowTraits.h"

#include "itkWindowedSincInterpolateImageFunction.h"

namespace itk
{

/** \class CudaWindowedSincInterpolateImageFunction
 * \brief Windowed sinc interpolation \cite{Meijering1999} by ITK's rule, in batches on a GPU or all threads of the
 * host.
 *
 * Replaces WindowedSincInterpolateImageFunction, with its template parameters. It accelerates ITK's five windows with a
 * radius of 1 to 5 and the boundary conditions ZeroFluxNeumannBoundaryCondition, PeriodicBoundaryCondition and
 * ConstantBoundaryCondition; window and radius are arguments of one kernel. The superclass computes any other window,
 * radius, boundary condition and pixel type; these have no address modes.
 *
 * With CudaSplineAddressMode::Itk the boundary condition applies within the half sample beyond the outermost ones. The
 * value beyond the edges, for the constant boundary and for GridConstant, is BorderValue: 0 until it is set, as in ITK.
 *
 * Difference from ITK: in the half sample below the first one ITK's periodic condition reads outside of the line (it
 * assumes that the middle of a neighbourhood is inside); here it is periodic there, too.
 *
 * Single evaluations run on the host, with a sine and a cosine for each axis instead of ITK's two or three for each
 * sample.
 *
 * \par Accuracy
 * Weights and sums are double, also in batches (whose samples are float for pixels and results of at most 24 bits). The
 * difference from ITK is rounding, see WindowedSincValue(). As in ITK the sum of the weights is not exactly 1.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once.
 *
 * \tparam TInputImage image
 * \tparam VRadius radius (samples)
 * \tparam TWindowFunction the window
 * \tparam TBoundaryCondition how the image is continued
 * \tparam TCoordRep float or double
 *
 * \sa WindowedSincInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TInputImage,
          unsigned int VRadius,
          typename TWindowFunction = Function::HammingWindowFunction<VRadius>,
          typename TBoundaryCondition = ZeroFluxNeumannBoundaryCondition<TInputImage, TInputImage>,
          typename TCoordRep = double>
class ITK_TEMPLATE_EXPORT CudaWindowedSincInterpolateImageFunction
  : public CudaSplineInterpolateImageFunction<
      WindowedSincInterpolateImageFunction<TInputImage, VRadius, TWindowFunction, TBoundaryCondition, TCoordRep>,
      TInputImage,
      TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaWindowedSincInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaWindowedSincInterpolateImageFunction;
  using Superclass = CudaSplineInterpolateImageFunction<
    WindowedSincInterpolateImageFunction<TInputImage, VRadius, TWindowFunction, TBoundaryCondition, TCoordRep>,
    TInputImage,
    TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaWindowedSincInterpolateImageFunction, WindowedSincInterpolateImageFunction);

  /** Types and dimension of the superclass. */
  ///@{
  using OutputType = typename Superclass::OutputType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using SizeType = typename Superclass::SizeType;
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;
  ///@}

  /** True where the module evaluates by itself: the kernels in 1 to 3 dimensions, single evaluations in any. */
  static constexpr bool IsOwn = CudaSplineDetail::WindowTraits<TWindowFunction, VRadius>::IsKnown &&
                                CudaSplineDetail::BoundaryTraits<TBoundaryCondition, TInputImage>::IsKnown &&
                                CudaSplineDetail::ImageTraits<TInputImage>::IsReadable &&
                                std::is_arithmetic<typename TInputImage::PixelType>::value;

  /** The value at a continuous index (samples, x first).
   *
   * \pre there is an image, and IsInsideBuffer(index) */
  OutputType
  EvaluateAtContinuousIndex(const ContinuousIndexType & index) const override;

  /** The radius, or under an address mode all of the image. */
  SizeType
  GetRadius() const override
  {
    return this->RadiusOf(VRadius);
  }

  /** The method of the kernels for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

protected:
  CudaWindowedSincInterpolateImageFunction() = default;
  ~CudaWindowedSincInterpolateImageFunction() override = default;

  /** What the superclass evaluates has no address modes. */
  void
  CheckAddressMode(CudaSplineAddressMode mode) const override;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaWindowedSincInterpolateImageFunction.hxx"
#endif

#endif

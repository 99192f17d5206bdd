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
#ifndef itkCudaBSplineInterpolateImageFunction_h
#define itkCudaBSplineInterpolateImageFunction_h

#include "itkCudaBSplineFunctionBase.h"
#include "itkCudaSpline/itk/Coefficients.h"

#include "itkBSplineInterpolateImageFunction.h"

#include <mutex>

namespace itk
{

/** \class CudaBSplineInterpolateImageFunction
 * \brief B-spline interpolation of an image and its derivatives, with coefficients from
 * CudaBSplineDecompositionImageFilter.
 *
 * Replaces BSplineInterpolateImageFunction, with its whole interface. SetInputImage() computes the coefficients, on a
 * GPU or on all threads of the host. Single evaluations always run on the host, from host coefficients, and never wait
 * for a GPU. Batches (CudaSplineInterpolateImageFunction), with values, gradients and Hessians, and the evaluation
 * within CudaResampleImageFilter run on the selected backend.
 *
 * SetAddressMode() continues the image beyond its edges by Mirror, Reflect or GridWrap, with the coefficients for that
 * extension. For orders 0 and 1, whose coefficients are the samples, Nearest and GridConstant are also available.
 *
 * Differences from ITK:
 * - Short axes are folded completely. ITK folds once, and reads outside of the buffer for orders 3 and 4 on axes of 2
 *   samples and for order 5 on axes of 2 and 3. On an axis of one sample it ignores the start index.
 * - Several threads may call SetInputImage() of one interpolator. (An image whose source is out of date belongs to one
 *   thread, as in every ITK pipeline.)
 * - SetSplineOrder() after SetInputImage() computes new coefficients.
 * - Integer images never get integer coefficients.
 * - SetInputImage() detects pixels that were changed without Modified(): coefficients are reused only if a checksum of
 *   all pixels is unchanged.
 *
 * \par Accuracy
 * Weights, sums and results are double. With double coefficients the value differs from ITK's by rounding, 1e-12 of the
 * range, and by ITK's own truncation near the low edge (up to 3.7e-10). With float coefficients storage costs about
 * 1e-6 of the range. Batches compute in the type of the coefficients: with float ones, weights and sums are float too.
 *
 * \par Threads
 * Evaluations may run in any number of threads at once. The overloads with a thread id give the same bits as those
 * without and use no scratch memory of their own, except EvaluateDerivativeAtContinuousIndex() and
 * EvaluateValueAndDerivativeAtContinuousIndex(), which are not virtual in ITK: for them SetNumberOfWorkUnits() must
 * cover the thread id, as in ITK.
 *
 * \tparam TImageType scalar image
 * \tparam TCoordRep float or double
 * \tparam TCoefficientType float or double
 *
 * \sa BSplineInterpolateImageFunction, CudaResampleImageFilter
 * \ingroup CudaSpline */
template <typename TImageType, typename TCoordRep = double, typename TCoefficientType = double>
class ITK_TEMPLATE_EXPORT CudaBSplineInterpolateImageFunction
  : public CudaBSplineFunctionBase<BSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>,
                                   TImageType,
                                   TCoordRep>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaBSplineInterpolateImageFunction);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaBSplineInterpolateImageFunction;
  using Superclass = CudaBSplineFunctionBase<BSplineInterpolateImageFunction<TImageType, TCoordRep, TCoefficientType>,
                                             TImageType,
                                             TCoordRep>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaBSplineInterpolateImageFunction, BSplineInterpolateImageFunction);

  /** Types and dimension of the superclass. */
  ///@{
  using OutputType = typename Superclass::OutputType;
  using IndexType = typename Superclass::IndexType;
  using ContinuousIndexType = typename Superclass::ContinuousIndexType;
  using PointType = typename Superclass::PointType;
  using CovariantVectorType = typename Superclass::CovariantVectorType;
  using CoefficientImageType = typename Superclass::CoefficientImageType;
  static constexpr unsigned int ImageDimension = Superclass::ImageDimension;
  ///@}

  /** Computes the coefficients. A null pointer releases them.
   *
   * \param[in] inputData the image; its largest possible region must be in memory or available by an update
   * \exception ExceptionObject as CudaBSplineDecompositionImageFilter */
  void
  SetInputImage(const TImageType * inputData) override;

  /** How batches and CudaResampleImageFilter sum up values: Exact (default), or with values of limited accuracy by
   * texture fetches, Texture and TextureTable. Single evaluations are exact. */
  ///@{
  using ModeEnum = CudaSpline::EvaluationMode;
  itkSetEnumMacro(Mode, ModeEnum);
  itkGetEnumMacro(Mode, ModeEnum);
  ///@}

  /** Entries of the lookup table of weights of mode TextureTable: 128 (default) to 65536. */
  ///@{
  itkSetMacro(NumberOfTableEntries, int);
  itkGetConstMacro(NumberOfTableEntries, int);
  ///@}

  /** How batches and CudaResampleImageFilter store coefficients in mode Exact: Element (default), or for order 3 in 16
   * bits, Half and Int16, with an error bound (CudaResampleImageFilter::GetErrorBound()). Texture is what the texture
   * modes choose themselves. All but Element compute in single precision.
   *
   * \exception ExceptionObject Texture */
  ///@{
  using StorageEnum = CudaSpline::CoefficientStorage;
  void
  SetStorage(StorageEnum storage)
  {
    if (storage == StorageEnum::Texture)
    {
      itkExceptionMacro(<< "SetStorage() does not support Texture; call SetMode() with Texture or TextureTable.");
    }
    if (storage != m_Storage)
    {
      m_Storage = storage;
      this->Modified();
    }
  }
  itkGetEnumMacro(Storage, StorageEnum);
  ///@}

  /** The method of the kernels for this class. */
  CudaSplineMethod
  DescribeMethod(const ImageBase<ImageDimension> * image) const override;

  /** The coefficients: of the size and indices of the input's buffered region; null before SetInputImage(). */
  const CoefficientImageType *
  GetCoefficients() const
  {
    return this->m_Coefficients.GetPointer();
  }

protected:
  /** Without coefficients: the parent starts with an empty image of them. */
  CudaBSplineInterpolateImageFunction() { this->m_Coefficients = nullptr; }
  ~CudaBSplineInterpolateImageFunction() override = default;

  /** Prints the choices. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "Mode: " << CudaSpline::NameOf(m_Mode) << std::endl;
    os << indent << "NumberOfTableEntries: " << m_NumberOfTableEntries << std::endl;
    os << indent << "Storage: " << CudaSpline::NameOf(m_Storage) << std::endl;
  }

  /** Makes new coefficients where there is an image. */
  void
  MethodChanged() override;

private:
  std::mutex                          m_Mutex;
  CudaSplineDetail::CoefficientRecord m_Record;
  ModeEnum                            m_Mode{ ModeEnum::Exact };
  int                                 m_NumberOfTableEntries{ CudaSpline::SmallestTable };
  StorageEnum                         m_Storage{ StorageEnum::Element };
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaBSplineInterpolateImageFunction.hxx"
#endif

#endif

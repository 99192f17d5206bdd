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
#ifndef itkCudaSplineFactory_h
#define itkCudaSplineFactory_h

#include "CudaSplineFactoriesExport.h"
#include "itkCudaSplineFactoryBase.h"

#include <string>
#include <vector>

namespace itk
{

/** \class CudaSplineFactory
 * \brief Hands out the module's classes wherever a program asks ITK's own for a New().
 *
 * An object factory of ITK's: what New() of an overridden class returns is an object of the module's class, which
 * derives from it, so nothing else of the program changes.
 *
 * \par What is overridden Images \c I have two or three dimensions unless stated otherwise.
 *
 * - \c ResampleImageFilter<I, I>, images of all numbers of 8 to 32 bits, float and double, and of Vector<float, 3> in
 *   three dimensions; with \c float coordinates, images of float, and of short in three dimensions.
 * - \c WarpImageFilter<I, I, F>, the same images of numbers in three dimensions, fields \c F of Vector<float, 3>.
 * - \c BSplineDecompositionImageFilter, from short, float and double to double, from float to float, in one to four
 *   dimensions: BSplineInterpolateImageFunction makes one of these.
 * - \c SmoothingRecursiveGaussianImageFilter<I, I>, images of unsigned char, short, unsigned short, int, float, double.
 * - \c RecursiveGaussianImageFilter and \c GradientMagnitudeRecursiveGaussianImageFilter, from short and float to
 * float.
 * - \c GradientRecursiveGaussianImageFilter, from short, float and double to CovariantVector of double, and from float
 * to that of float.
 * - \c ComposeDisplacementFieldsImageFilter, \c InvertDisplacementFieldImageFilter,
 *   \c ExponentialDisplacementFieldImageFilter, \c DisplacementFieldJacobianDeterminantFilter and
 *   \c DisplacementFieldToBSplineImageFilter, fields of vectors of float and double.
 *
 * \par How a program gets it
 * A program calls RegisterOneFactory(), and links libCudaSplineFactories (target CudaSpline::CudaSplineFactories). One
 * that cannot be compiled again, but is linked to shared libraries of the same version of ITK, is started with the
 * environment variable ITK_AUTOLOAD_PATH naming the folder of libCudaSplineFactories: ITK loads the library with its
 * first New(). Nothing is done with a device before the first operation.
 *
 * \par How a class is switched off
 * By SetClassEnabled(), or by the environment variable CUDASPLINE_FACTORY_CLASSES, a
 * list of the classes that shall be overridden, with commas ("ResampleImageFilter"; "none" for none). Objects that
 * exist already stay what they are. Where operations run is chosen by CUDASPLINE_DEVICE, as always; CUDASPLINE_TRACE
 * lists them (CudaSplineTrace).
 *
 * \ingroup CudaSpline */
class CudaSplineFactories_EXPORT CudaSplineFactory : public CudaSplineFactoryBase
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSplineFactory);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSplineFactory;
  using Superclass = CudaSplineFactoryBase;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes a factory, which is not registered. */
  itkCudaSplineFactorylessNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSplineFactory, CudaSplineFactoryBase);

  /** What the factory is for. */
  const char *
  GetDescription() const override;

  /** Registers a factory, unless there is one, and returns the one that is registered. */
  static Pointer
  RegisterOneFactory();

  /** Takes the registered factory back, by RegisterOneFactory() or by ITK_AUTOLOAD_PATH; nothing where there is none.
   */
  static void
  UnRegisterOneFactory();

  /** The registered factory, or null. */
  static Pointer
  GetRegisteredFactory();

  /** Names of the classes that can be overridden, without their template arguments. */
  static std::vector<std::string>
  GetClassNames();

  /** SetClassEnabled() of ResampleImageFilter. */
  ///@{
  void
  SetResampleImageFilterEnabled(bool enabled)
  {
    this->SetClassEnabled("ResampleImageFilter", enabled);
  }
  bool
  GetResampleImageFilterEnabled() const
  {
    return this->GetClassEnabled("ResampleImageFilter");
  }
  ///@}

  /** SetClassEnabled() of WarpImageFilter. */
  ///@{
  void
  SetWarpImageFilterEnabled(bool enabled)
  {
    this->SetClassEnabled("WarpImageFilter", enabled);
  }
  bool
  GetWarpImageFilterEnabled() const
  {
    return this->GetClassEnabled("WarpImageFilter");
  }
  ///@}

  /** SetClassEnabled() of BSplineDecompositionImageFilter. */
  ///@{
  void
  SetBSplineDecompositionImageFilterEnabled(bool enabled)
  {
    this->SetClassEnabled("BSplineDecompositionImageFilter", enabled);
  }
  bool
  GetBSplineDecompositionImageFilterEnabled() const
  {
    return this->GetClassEnabled("BSplineDecompositionImageFilter");
  }
  ///@}

  /** SetClassEnabled() of SmoothingRecursiveGaussianImageFilter. */
  ///@{
  void
  SetSmoothingRecursiveGaussianImageFilterEnabled(bool enabled)
  {
    this->SetClassEnabled("SmoothingRecursiveGaussianImageFilter", enabled);
  }
  bool
  GetSmoothingRecursiveGaussianImageFilterEnabled() const
  {
    return this->GetClassEnabled("SmoothingRecursiveGaussianImageFilter");
  }
  ///@}

  /** SetClassEnabled() of GradientRecursiveGaussianImageFilter. */
  ///@{
  void
  SetGradientRecursiveGaussianImageFilterEnabled(bool enabled)
  {
    this->SetClassEnabled("GradientRecursiveGaussianImageFilter", enabled);
  }
  bool
  GetGradientRecursiveGaussianImageFilterEnabled() const
  {
    return this->GetClassEnabled("GradientRecursiveGaussianImageFilter");
  }
  ///@}

protected:
  CudaSplineFactory();
  ~CudaSplineFactory() override;
};

} // namespace itk

#endif

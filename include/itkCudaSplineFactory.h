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
 * \brief Object factory that makes New() of ITK's classes return the module's classes.
 *
 * With this ITK object factory, New() of an overridden class returns an object of the module's class. That class
 * derives from the overridden one, so the rest of the program does not change.
 *
 * \par Overridden classes
 * Images \c I have two or three dimensions unless stated otherwise.
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
 * \par Use in a program
 * A program calls RegisterOneFactory(), and links libCudaSplineFactories (target CudaSpline::CudaSplineFactories). A
 * program that cannot be recompiled, but is linked to shared libraries of the same version of ITK, is started with the
 * environment variable ITK_AUTOLOAD_PATH set to the folder of libCudaSplineFactories: ITK loads the library at its
 * first New(). No device is used before the first operation.
 *
 * \par Disabling a class
 * Call SetClassEnabled(), or set the environment variable CUDASPLINE_FACTORY_CLASSES to a list of the classes to
 * override, separated by commas ("ResampleImageFilter"; "none" for none). Existing objects do not change.
 * CUDASPLINE_DEVICE selects the backend, as always; CUDASPLINE_TRACE lists the operations (CudaSplineTrace).
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

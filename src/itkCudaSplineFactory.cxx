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
#include "itkCudaSplineFactory.h"
#include "itkCudaSplineLoadedFactory.h"
#include "itkCudaSplineOverrides.h"

namespace itk
{

CudaSplineFactory::CudaSplineFactory()
{
  CudaSplineDetail::Overrides overrides;
  CudaSplineDetail::AppendResampleSmall2D(overrides);
  CudaSplineDetail::AppendResampleLarge2D(overrides);
  CudaSplineDetail::AppendResampleSmall3D(overrides);
  CudaSplineDetail::AppendResampleLarge3D(overrides);
  CudaSplineDetail::AppendResampleVector3D(overrides);
  CudaSplineDetail::AppendResampleSingle(overrides);
  CudaSplineDetail::AppendWarpSmall3D(overrides);
  CudaSplineDetail::AppendWarpLarge3D(overrides);
  CudaSplineDetail::AppendDecomposition(overrides);
  CudaSplineDetail::AppendGaussian(overrides);
  CudaSplineDetail::AppendFields(overrides);
  for (const CudaSplineDetail::Override & override : overrides)
  {
    this->AddOverride(override.name, override.overridden, override.with, override.create.GetPointer());
  }
  this->ReadEnvironment();
}

CudaSplineFactory::~CudaSplineFactory() = default;

const char *
CudaSplineFactory::GetDescription() const
{
  return "CudaSpline: resampling, B-spline decomposition, recursive Gaussians and displacement fields on a GPU or on "
         "all "
         "threads of the host";
}

std::vector<std::string>
CudaSplineFactory::GetClassNames()
{
  return { "ResampleImageFilter",
           "WarpImageFilter",
           "BSplineDecompositionImageFilter",
           "SmoothingRecursiveGaussianImageFilter",
           "RecursiveGaussianImageFilter",
           "GradientRecursiveGaussianImageFilter",
           "GradientMagnitudeRecursiveGaussianImageFilter",
           "ComposeDisplacementFieldsImageFilter",
           "InvertDisplacementFieldImageFilter",
           "ExponentialDisplacementFieldImageFilter",
           "DisplacementFieldJacobianDeterminantFilter",
           "DisplacementFieldToBSplineImageFilter" };
}

auto
CudaSplineFactory::GetRegisteredFactory() -> Pointer
{
  return CudaSplineDetail::FindRegisteredFactory<Self>();
}

auto
CudaSplineFactory::RegisterOneFactory() -> Pointer
{
  return CudaSplineDetail::RegisterFactoryOnce<Self>();
}

void
CudaSplineFactory::UnRegisterOneFactory()
{
  CudaSplineDetail::UnRegisterFactoryIfThere<Self>();
}

} // namespace itk

/** \brief Returns the factory that ITK gets when it calls itkLoad() of the library in a folder of ITK_AUTOLOAD_PATH.
 *
 * The loader (loader/FactoryLoader.cxx) finds this function, and ITK calls it. It is not named itkLoad, so that no ITK
 * loads an object from this library directly: the library depends on the ITK that it is linked to.
 *
 * ITK registers the result, and holds no reference before that. Therefore the factory exists as long as the library. It
 * is the same object each time, so a message is printed only once if ITK loads its libraries again. */
extern "C" CudaSplineFactories_EXPORT itk::ObjectFactoryBase *
                                      CudaSplineMakeLoadedFactory()
{
  static const itk::ObjectFactoryBase::Pointer factory =
    itk::CudaSplineDetail::MakeLoadedFactory<itk::CudaSplineFactory>("libCudaSplineFactories");
  return factory.GetPointer();
}

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
#include "itkCudaSpline/itk/DoubleTransform.h"

#include "itkAffineTransform.h"
#include "itkCenteredAffineTransform.h"
#include "itkCenteredEuler3DTransform.h"
#include "itkCenteredRigid2DTransform.h"
#include "itkCenteredSimilarity2DTransform.h"
#include "itkCompositeTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkIdentityTransform.h"
#include "itkMatrixOffsetTransformBase.h"
#include "itkQuaternionRigidTransform.h"
#include "itkRigid2DTransform.h"
#include "itkScaleSkewVersor3DTransform.h"
#include "itkScaleTransform.h"
#include "itkScaleVersor3DTransform.h"
#include "itkSimilarity2DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"
#include "itkVersorRigid3DTransform.h"
#include "itkVersorTransform.h"

#include <typeinfo>

namespace itk::CudaSplineDetail
{

namespace
{

/** Makes \p twin if a transform is exactly of class TSingle. */
template <typename TSingle, typename TDouble, unsigned int VDimension>
bool
Copy(const Transform<float, VDimension, VDimension> *                   transform,
     typename Transform<double, VDimension, VDimension>::ConstPointer & twin)
{
  if (typeid(*transform) != typeid(TSingle))
  {
    return false;
  }
  const auto made = TDouble::New();
  if (transform->GetNumberOfParameters() > 0) // the identity has neither parameters nor fixed parameters
  {
    made->SetFixedParameters(transform->GetFixedParameters());
    const auto &                     from = transform->GetParameters();
    typename TDouble::ParametersType parameters(from.Size());
    for (unsigned int p = 0; p < from.Size(); ++p)
    {
      parameters[p] = from[p];
    }
    made->SetParameters(parameters);
  }
  twin = made;
  return true;
}

/** Copies a transform of a class and dimension to the same class of double. */
template <template <typename, unsigned int> class TClass, unsigned int VDimension>
bool
CopyIn(const Transform<float, VDimension, VDimension> *                   transform,
       typename Transform<double, VDimension, VDimension>::ConstPointer & twin)
{
  return Copy<TClass<float, VDimension>, TClass<double, VDimension>, VDimension>(transform, twin);
}

/** Copies a transform of classes that exist in every dimension. */
template <unsigned int VDimension>
bool
CopyOfAny(const Transform<float, VDimension, VDimension> *                   transform,
          typename Transform<double, VDimension, VDimension>::ConstPointer & twin)
{
  return CopyIn<AffineTransform, VDimension>(transform, twin) ||
         CopyIn<TranslationTransform, VDimension>(transform, twin) ||
         CopyIn<IdentityTransform, VDimension>(transform, twin) ||
         CopyIn<ScaleTransform, VDimension>(transform, twin) ||
         CopyIn<CenteredAffineTransform, VDimension>(transform, twin) ||
         Copy<MatrixOffsetTransformBase<float, VDimension, VDimension>,
              MatrixOffsetTransformBase<double, VDimension, VDimension>,
              VDimension>(transform, twin);
}

/** Copies a transform of classes that exist in one dimension only, which are listed. */
template <unsigned int VDimension, template <typename> class... TClasses>
bool
CopyOfThese(const Transform<float, VDimension, VDimension> *                   transform,
            typename Transform<double, VDimension, VDimension>::ConstPointer & twin)
{
  return (Copy<TClasses<float>, TClasses<double>, VDimension>(transform, twin) || ...);
}

/** IsChainOfAffineMaps(). The listed classes exist in one dimension only. Scale transforms are excluded: ITK subtracts
 * their centre from the point and adds it again. */
template <unsigned int VDimension, template <typename> class... TClasses>
bool
IsAffine(const Transform<double, VDimension, VDimension> * transform)
{
  using Composite = CompositeTransform<double, VDimension>;
  const std::type_info & type = typeid(*transform);
  if (type == typeid(Composite))
  {
    const auto * const composite = static_cast<const Composite *>(transform);
    bool               isAffine = true;
    for (SizeValueType n = 0; n < composite->GetNumberOfTransforms(); ++n)
    {
      isAffine = isAffine && IsAffine<VDimension, TClasses...>(composite->GetNthTransformConstPointer(n));
    }
    return isAffine;
  }
  return type == typeid(AffineTransform<double, VDimension>) ||
         type == typeid(CenteredAffineTransform<double, VDimension>) ||
         type == typeid(IdentityTransform<double, VDimension>) ||
         type == typeid(MatrixOffsetTransformBase<double, VDimension, VDimension>) ||
         type == typeid(TranslationTransform<double, VDimension>) || ((type == typeid(TClasses<double>)) || ...);
}

} // namespace

Transform<double, 2, 2>::ConstPointer
InDoublePrecision(const Transform<float, 2, 2> * transform)
{
  Transform<double, 2, 2>::ConstPointer twin;
  static_cast<void>(CopyOfAny<2>(transform, twin) || CopyOfThese<2,
                                                                 Euler2DTransform,
                                                                 Rigid2DTransform,
                                                                 Similarity2DTransform,
                                                                 CenteredRigid2DTransform,
                                                                 CenteredSimilarity2DTransform>(transform, twin));
  return twin;
}

Transform<double, 3, 3>::ConstPointer
InDoublePrecision(const Transform<float, 3, 3> * transform)
{
  Transform<double, 3, 3>::ConstPointer twin;
  static_cast<void>(CopyOfAny<3>(transform, twin) || CopyOfThese<3,
                                                                 Euler3DTransform,
                                                                 CenteredEuler3DTransform,
                                                                 VersorTransform,
                                                                 VersorRigid3DTransform,
                                                                 QuaternionRigidTransform,
                                                                 Similarity3DTransform,
                                                                 ScaleVersor3DTransform,
                                                                 ScaleSkewVersor3DTransform>(transform, twin));
  return twin;
}

bool
IsChainOfAffineMaps(const Transform<double, 2, 2> * transform)
{
  return IsAffine<2,
                  Euler2DTransform,
                  Rigid2DTransform,
                  Similarity2DTransform,
                  CenteredRigid2DTransform,
                  CenteredSimilarity2DTransform>(transform);
}

bool
IsChainOfAffineMaps(const Transform<double, 3, 3> * transform)
{
  return IsAffine<3,
                  Euler3DTransform,
                  CenteredEuler3DTransform,
                  VersorTransform,
                  VersorRigid3DTransform,
                  QuaternionRigidTransform,
                  Similarity3DTransform,
                  ScaleVersor3DTransform,
                  ScaleSkewVersor3DTransform>(transform);
}

} // namespace itk::CudaSplineDetail

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
#ifndef itkCudaSpline_itk_Compatibility_h
#define itkCudaSpline_itk_Compatibility_h

#include "itkConfigure.h"
#include "itkMacro.h"

#if defined(__has_include)
#  if __has_include("itkLabelImageGenericInterpolateImageFunction.h")
#    include "itkLabelImageGenericInterpolateImageFunction.h"
#    define CUDASPLINE_ITK_HAS_GENERIC_LABELS
#  endif
#endif
#if !defined(ITK_FUTURE_LEGACY_REMOVE)
#  define CUDASPLINE_ITK_HAS_NON_CONST_GETTERS ///< of objects, in addition to the const ones
#endif
#include "itkInterpolateImageFunction.h"
#include "itkVectorContainer.h"

/** \file
 * \brief The differences between the ITK versions that the module builds with. No other file of the module tests the
 * version. */

/** \def itkCudaSplineTypeMacro
 * \brief Names a class: itkTypeMacro up to ITK 5.3, itkOverrideGetNameOfClassMacro since ITK 5.4. */
#if defined(itkOverrideGetNameOfClassMacro)
#  define itkCudaSplineTypeMacro(thisClass, superclass) itkOverrideGetNameOfClassMacro(thisClass)
#else
#  define itkCudaSplineTypeMacro(thisClass, superclass) itkTypeMacro(thisClass, superclass)
#endif

/** \def itkCudaSplineNewMacro
 * \brief itkNewMacro, followed by a semicolon. Before ITK 6, itkNewMacro requires the semicolon only if
 * ITK_FUTURE_LEGACY_REMOVE is defined. */
/** \def itkCudaSplineFactorylessNewMacro
 * \brief itkFactorylessNewMacro, with the same handling of the semicolon. */
#if ITK_VERSION_MAJOR < 6 && !defined(ITK_FUTURE_LEGACY_REMOVE)
#  define itkCudaSplineNewMacro(thisClass) itkNewMacro(thisClass) static_assert(true, "a semicolon follows the macro")
#  define itkCudaSplineFactorylessNewMacro(thisClass)                                                                  \
    itkFactorylessNewMacro(thisClass) static_assert(true, "a semicolon follows the macro")
#else
#  define itkCudaSplineNewMacro(thisClass) itkNewMacro(thisClass)
#  define itkCudaSplineFactorylessNewMacro(thisClass) itkFactorylessNewMacro(thisClass)
#endif

namespace itk::CudaSplineDetail
{

/** \brief The precision in which ResampleImageFilter keeps the transformed end of a scanline.
 *
 * Before ITK 5.3 that point has the interpolator's coordinate type: `float` rounds it with a relative error of about
 * 1e-7. Since ITK 5.3 the point keeps the transform's type, and only the continuous index is rounded.
 * \tparam TInterpolatorPrecision the interpolator's coordinate type
 * \tparam TTransformPrecision the transform's */
template <typename TInterpolatorPrecision, typename TTransformPrecision>
#if ITK_VERSION_MAJOR == 5 && ITK_VERSION_MINOR < 3
using ScanlinePointPrecision = TInterpolatorPrecision;
#else
using ScanlinePointPrecision = TTransformPrecision;
#endif

/** \name Changes of ITK 6
 * Differences between ITK 6 and ITK 5 in what a replaced class computes; doc/ItkVersions.md lists them with their
 * tests. */
///@{
#if ITK_VERSION_MAJOR < 6
inline constexpr bool IsSinceItk6 = false;
#else
inline constexpr bool IsSinceItk6 = true;
#endif

/** DisplacementFieldJacobianDeterminantFilter rotates derivatives by the direction of the field. */
inline constexpr bool JacobianUsesDirection = IsSinceItk6;
/** ExponentialDisplacementFieldImageFilter squares fields of zeros not at all, and others by no more than the rounded
 * up estimate. */
inline constexpr bool ExponentialRoundsSquaringsUp = IsSinceItk6;
/** DisplacementFieldToBSplineImageFilter has the control points as its second output. */
inline constexpr bool SplineSmoothingHasLattice = !IsSinceItk6;
/** MattesMutualInformationImageToImageMetricv4 refuses constant images and empty regions in Initialize(). */
inline constexpr bool MattesRefusesConstantImages = IsSinceItk6;
///@}

/** \brief Base class of the interpolators that interpolate labels with another interpolator: ITK's class, if ITK was
 * built with it.
 *
 * ITK's class is in the remote module GenericLabelInterpolator, which is off by default.
 * \tparam TImage image of labels
 * \tparam TInterpolator interpolates the indicators of the labels
 * \tparam TCoordRep float or double */
template <typename TImage, template <typename, typename> class TInterpolator, typename TCoordRep>
#if defined(CUDASPLINE_ITK_HAS_GENERIC_LABELS)
using LabelImageGenericBase = LabelImageGenericInterpolateImageFunction<TImage, TInterpolator, TCoordRep>;
#else
using LabelImageGenericBase = InterpolateImageFunction<TImage, TCoordRep>;
#endif

/** \brief itk::VectorContainer as a parameter of a function template. Since ITK 6 that name is an alias, from which
 * template arguments cannot be deduced.
 *
 * \tparam TIdentifier type of the index
 * \tparam TElement type of its elements */
template <typename TIdentifier, typename TElement>
#if ITK_VERSION_MAJOR < 6
using AnyVectorContainer = VectorContainer<TIdentifier, TElement>;
#else
using AnyVectorContainer = detail::VectorContainer<TIdentifier, TElement>;
#endif

} // namespace itk::CudaSplineDetail

#endif

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
#ifndef CudaSplineTest_MetricTestImages_h
#define CudaSplineTest_MetricTestImages_h

#include "ResampleTestSupport.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkImageMaskSpatialObject.h"
#include "itkScaleSkewVersor3DTransform.h"
#include "itkSimilarity2DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"
#include "itkVersorRigid3DTransform.h"

#include <cmath>
#include <string>
#include <vector>

/** \file
 * \brief Images, masks and transforms for the tests of the metrics. */

namespace CudaSplineTest
{

/** Returns blobs and waves about a centre, which are smooth like images in registrations. */
template <typename TImage>
typename TImage::Pointer
BlobImage(const std::vector<unsigned int> & size, double scale, double shift)
{
  constexpr unsigned int       dimension = TImage::ImageDimension;
  typename TImage::RegionType  region;
  typename TImage::SpacingType spacing;
  typename TImage::PointType   origin;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    region.SetSize(d, size[d]);
    region.SetIndex(d, static_cast<itk::IndexValueType>(d) - 1);
    spacing[d] = scale * (1.0 + 0.3 * d);
  }
  auto image = TImage::New();
  image->SetRegions(region);
  image->SetSpacing(spacing);
  image->SetDirection(ObliqueDirection<dimension>());
  origin.Fill(0.0);
  image->SetOrigin(origin);
  itk::ContinuousIndex<double, dimension> middle;
  typename TImage::PointType              centre;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    middle[d] = region.GetIndex(d) + 0.5 * (size[d] - 1.0);
  }
  image->TransformContinuousIndexToPhysicalPoint(middle, centre);
  for (unsigned int d = 0; d < dimension; ++d)
  {
    origin[d] = shift - centre[d]; // the middle of the image is that of the blob
  }
  image->SetOrigin(origin);
  image->Allocate();
  itk::ImageRegionIteratorWithIndex<TImage> it(image, region);
  for (; !it.IsAtEnd(); ++it)
  {
    typename TImage::PointType place;
    image->TransformIndexToPhysicalPoint(it.GetIndex(), place);
    double square = 0.0;
    double wave = 0.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      const double x = place[d] - shift;
      square += x * x * (1.0 + 0.4 * d);
      wave += std::sin(0.21 * x * (d + 1) + d);
    }
    it.Set(static_cast<typename TImage::PixelType>(100.0 * std::exp(-square / 800.0) + 9.0 * wave));
  }
  return image;
}

/** Returns a B-spline transform about the origin whose domain does not contain all of the images, and is rotated
 * relative to them. */
template <unsigned int VDimension, unsigned int VOrder>
typename itk::BSplineTransform<double, VDimension, VOrder>::Pointer
WavySpline()
{
  using TransformType = itk::BSplineTransform<double, VDimension, VOrder>;
  auto                                           transform = TransformType::New();
  typename TransformType::OriginType             origin;
  typename TransformType::PhysicalDimensionsType dimensions;
  typename TransformType::MeshSizeType           mesh;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    origin[d] = -17.0 - d;
    dimensions[d] = 36.0 + d;
    mesh[d] = 3 + d;
  }
  typename TransformType::DirectionType direction;
  direction.SetIdentity();
  direction[0][0] = std::cos(0.1);
  direction[0][1] = -std::sin(0.1);
  direction[1][0] = std::sin(0.1);
  direction[1][1] = std::cos(0.1);
  transform->SetTransformDomainOrigin(origin);
  transform->SetTransformDomainPhysicalDimensions(dimensions);
  transform->SetTransformDomainMeshSize(mesh);
  transform->SetTransformDomainDirection(direction);
  auto parameters = transform->GetParameters();
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    parameters[p] = 0.8 * std::cos(1.7 * p);
  }
  transform->SetParametersByValue(parameters);
  return transform;
}

/** Returns a transform by name: linear ones of all of ITK's kinds, and B-splines, not close to the identity. */
template <unsigned int VDimension>
typename itk::Transform<double, VDimension, VDimension>::Pointer
MetricTransform(const std::string & name)
{
  using Base = itk::Transform<double, VDimension, VDimension>;
  const auto turned = [](auto transform) {
    auto parameters = transform->GetParameters();
    for (unsigned int p = 0; p < parameters.Size(); ++p)
    {
      parameters[p] += 0.04 * std::cos(3.0 * p + 1.0);
    }
    typename std::decay_t<decltype(*transform)>::InputPointType centre;
    centre.Fill(2.5);
    transform->SetCenter(centre);
    transform->SetParameters(parameters);
    auto translation = transform->GetTranslation();
    translation[0] += 1.3;
    transform->SetTranslation(translation);
    return transform;
  };
  if (name == "translation")
  {
    auto transform = itk::TranslationTransform<double, VDimension>::New();
    auto offset = transform->GetOffset();
    offset[0] = 1.25;
    offset[1] = -2.5;
    transform->SetOffset(offset);
    return typename Base::Pointer(transform);
  }
  if (name == "composite")
  {
    // As in ImageRegistrationMethodv4: previous transforms, and the optimized one.
    auto composite = itk::CompositeTransform<double, VDimension>::New();
    composite->AddTransform(MetricTransform<VDimension>("affine"));
    composite->AddTransform(MetricTransform<VDimension>("rigid"));
    composite->SetOnlyMostRecentTransformToOptimizeOn();
    return typename Base::Pointer(composite);
  }
  if (name == "composite with its inverse")
  {
    // A second rotation in the opposite direction cancels some entries of the Jacobian.
    auto composite = itk::CompositeTransform<double, VDimension>::New();
    auto rigid = MetricTransform<VDimension>("rigid");
    composite->AddTransform(rigid->GetInverseTransform());
    composite->AddTransform(rigid);
    composite->SetOnlyMostRecentTransformToOptimizeOn();
    return typename Base::Pointer(composite);
  }
  if (name == "composite of four")
  {
    auto composite = itk::CompositeTransform<double, VDimension>::New();
    for (const char * part : { "translation", "rigid", "affine", "translation" })
    {
      composite->AddTransform(MetricTransform<VDimension>(part));
    }
    composite->SetAllTransformsToOptimizeOff();
    composite->SetNthTransformToOptimizeOn(1);
    composite->SetNthTransformToOptimizeOn(2);
    return typename Base::Pointer(composite);
  }
  if (name.compare(0, 8, "B-spline") == 0)
  {
    typename Base::Pointer spline(WavySpline<VDimension, 3>());
    if (name == "B-spline of order 1")
    {
      spline = WavySpline<VDimension, 1>();
    }
    else if (name == "B-spline of order 2")
    {
      spline = WavySpline<VDimension, 2>();
    }
    const bool isBehind = name == "B-spline after others";
    const bool isBefore = name == "B-spline before others";
    if (!isBehind && !isBefore)
    {
      return spline;
    }
    // The transform that was added last is applied first.
    auto composite = itk::CompositeTransform<double, VDimension>::New();
    if (isBehind)
    {
      composite->AddTransform(spline);
    }
    composite->AddTransform(MetricTransform<VDimension>("affine"));
    composite->AddTransform(MetricTransform<VDimension>("rigid"));
    if (isBefore)
    {
      composite->AddTransform(spline);
    }
    composite->SetAllTransformsToOptimizeOff();
    composite->SetNthTransformToOptimizeOn(isBehind ? 0 : 2);
    return typename Base::Pointer(composite);
  }
  if constexpr (VDimension == 2)
  {
    if (name == "rigid")
    {
      return typename Base::Pointer(turned(itk::Euler2DTransform<double>::New()));
    }
    if (name == "similarity")
    {
      return typename Base::Pointer(turned(itk::Similarity2DTransform<double>::New()));
    }
  }
  else
  {
    if (name == "rigid")
    {
      return typename Base::Pointer(turned(itk::Euler3DTransform<double>::New()));
    }
    if (name == "versor")
    {
      return typename Base::Pointer(turned(itk::VersorRigid3DTransform<double>::New()));
    }
    if (name == "similarity")
    {
      return typename Base::Pointer(turned(itk::Similarity3DTransform<double>::New()));
    }
    if (name == "skew")
    {
      return typename Base::Pointer(turned(itk::ScaleSkewVersor3DTransform<double>::New()));
    }
  }
  return typename Base::Pointer(turned(itk::AffineTransform<double, VDimension>::New()));
}

/** Returns names for MetricTransform(). */
template <unsigned int VDimension>
std::vector<std::string>
MetricTransforms()
{
  std::vector<std::string> names{
    "translation", "rigid", "similarity", "affine", "composite", "composite of four", "composite with its inverse"
  };
  if (VDimension == 3)
  {
    names.insert(names.end(), { "versor", "skew" });
  }
  return names;
}

/** Returns additional names: transforms whose derivative is by coefficients. */
inline std::vector<std::string>
SplineTransforms()
{
  return {
    "B-spline", "B-spline of order 1", "B-spline of order 2", "B-spline before others", "B-spline after others"
  };
}

/** Returns a mask of about half an image, on one side of a slanted plane; rotated in space if \p isTurned. */
template <typename TImage>
typename itk::ImageMaskSpatialObject<TImage::ImageDimension>::Pointer
HalfMask(const TImage * image, bool isTurned)
{
  constexpr unsigned int dimension = TImage::ImageDimension;
  using MaskImage = itk::Image<unsigned char, dimension>;
  auto mask = MaskImage::New();
  mask->CopyInformation(image);
  mask->SetRegions(image->GetBufferedRegion());
  mask->Allocate();
  itk::ImageRegionIteratorWithIndex<MaskImage> it(mask, mask->GetBufferedRegion());
  for (; !it.IsAtEnd(); ++it)
  {
    double sum = 0.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      sum += static_cast<double>(it.GetIndex()[d] - image->GetBufferedRegion().GetIndex(d)) /
             static_cast<double>(image->GetBufferedRegion().GetSize(d));
    }
    it.Set(sum > 0.45 * dimension ? 7 : 0);
  }
  auto object = itk::ImageMaskSpatialObject<dimension>::New();
  object->SetImage(mask);
  if (isTurned)
  {
    auto place = itk::AffineTransform<double, dimension>::New();
    place->Rotate(0, 1, 0.2);
    typename itk::AffineTransform<double, dimension>::OutputVectorType shift;
    shift.Fill(0.7);
    place->Translate(shift);
    object->SetObjectToWorldTransform(place);
  }
  object->Update();
  return object;
}

/** The images of a comparison. */
template <typename TImage>
struct MetricImages
{
  typename TImage::Pointer fixed;
  typename TImage::Pointer moving;

  MetricImages()
  {
    constexpr unsigned int dimension = TImage::ImageDimension;
    fixed = dimension == 2 ? BlobImage<TImage>({ 41, 33 }, 1.4, 0.0) : BlobImage<TImage>({ 21, 17, 14 }, 2.3, 0.0);
    moving = dimension == 2 ? BlobImage<TImage>({ 37, 39 }, 1.6, 1.5) : BlobImage<TImage>({ 19, 18, 16 }, 2.5, 1.5);
  }
};

} // namespace CudaSplineTest

#endif

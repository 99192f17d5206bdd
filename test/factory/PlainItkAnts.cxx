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
// A program with ITK that does not use the module, with the types that antsApplyTransforms and antsRegistration
// instantiate in three dimensions: those of double, which are ANTs' default, and those of float (--float 1).
//
// usage: PlainItkAnts apply|evaluate|smooth double|float OUTPUT
//        PlainItkAnts types
//
// apply: an image and one of labels under a composite of an affine transform and a displacement field, and under the
// affine one alone, by every interpolator of antsApplyTransforms. All results are written to OUTPUT, as doubles one
// after the other; the standard output has a line for each: name of the class that computed it, interpolator, count of
// numbers. evaluate: value and derivative of each metric of antsRegistration, by the parameters of an affine transform
// and by a displacement field, in the same form. smooth: a displacement field whose updates and total are smoothed by
// B-splines, after an update. types: a line for each class that antsRegistration makes: the type, and the name of the
// class that it got.

#include "itkANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkAffineTransform.h"
#include "itkBSplineInterpolateImageFunction.h"
#include "itkBSplineSmoothingOnUpdateDisplacementFieldTransform.h"
#include "itkBSplineSyNImageRegistrationMethod.h"
#include "itkTimeVaryingVelocityFieldImageRegistrationMethodv4.h"
#include "itkCompositeTransform.h"
#include "itkConstantBoundaryCondition.h"
#include "itkCorrelationImageToImageMetricv4.h"
#include "itkDemonsImageToImageMetricv4.h"
#include "itkDisplacementFieldTransform.h"
#include "itkGaussianInterpolateImageFunction.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkJointHistogramMutualInformationImageToImageMetricv4.h"
#include "itkLabelImageGaussianInterpolateImageFunction.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkMattesMutualInformationImageToImageMetricv4.h"
#include "itkMeanSquaresImageToImageMetricv4.h"
#include "itkNearestNeighborInterpolateImageFunction.h"
#include "itkResampleImageFilter.h"
#include "itkSyNImageRegistrationMethod.h"
#include "itkVectorNeighborhoodOperatorImageFilter.h"
#include "itkWindowedSincInterpolateImageFunction.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

namespace
{

constexpr unsigned int dimension = 3;

std::ofstream results;

/** Returns waves, or labels of waves. */
template <typename TReal>
typename itk::Image<TReal, dimension>::Pointer
MakeImage(bool isLabels, double phase = 0.0)
{
  using Image = itk::Image<TReal, dimension>;
  auto                           image = Image::New();
  const typename Image::SizeType size{ { 19, 17, 15 } };
  image->SetRegions(size);
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Image> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    double value = 60.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      value += 18.0 * std::sin(0.37 * (1.0 + d) * static_cast<double>(it.GetIndex()[d]) + phase);
    }
    it.Set(static_cast<TReal>(isLabels ? std::floor(value / 20.0) : value));
  }
  return image;
}

template <typename TReal>
void
Apply(itk::Image<TReal, dimension> *                                       image,
      const itk::Transform<TReal, dimension, dimension> *                  transform,
      itk::InterpolateImageFunction<itk::Image<TReal, dimension>, TReal> * interpolator,
      const std::string &                                                  name)
{
  using Image = itk::Image<TReal, dimension>;
  auto filter = itk::ResampleImageFilter<Image, Image, TReal>::New();
  filter->SetInput(image);
  filter->SetOutputParametersFromImage(image);
  filter->SetTransform(transform);
  filter->SetInterpolator(interpolator);
  filter->SetDefaultPixelValue(0);
  filter->Update();
  const auto count = filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels();
  for (itk::SizeValueType i = 0; i < count; ++i)
  {
    const auto number = static_cast<double>(filter->GetOutput()->GetBufferPointer()[i]);
    results.write(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  std::cout << filter->GetNameOfClass() << ' ' << name << ' ' << count << '\n';
}

template <typename TReal>
typename itk::AffineTransform<TReal, dimension>::Pointer
MakeAffine()
{
  auto affine = itk::AffineTransform<TReal, dimension>::New();
  typename itk::AffineTransform<TReal, dimension>::OutputVectorType axis;
  axis.Fill(0);
  axis[2] = 1;
  affine->Rotate3D(axis, static_cast<TReal>(0.2));
  return affine;
}

/** Returns a displacement field of waves on the grid of an image. */
template <typename TReal>
typename itk::DisplacementFieldTransform<TReal, dimension>::Pointer
MakeFieldTransform(const itk::Image<TReal, dimension> * image)
{
  auto fieldTransform = itk::DisplacementFieldTransform<TReal, dimension>::New();
  using Field = typename itk::DisplacementFieldTransform<TReal, dimension>::DisplacementFieldType;
  auto field = Field::New();
  field->CopyInformation(image);
  field->SetRegions(image->GetBufferedRegion());
  field->Allocate();
  for (itk::ImageRegionIteratorWithIndex<Field> it(field, field->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    typename Field::PixelType vector;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      vector[d] = static_cast<TReal>(0.9 * std::sin(0.3 * static_cast<double>(it.GetIndex()[(d + 1) % dimension])));
    }
    it.Set(vector);
  }
  fieldTransform->SetDisplacementField(field);
  return fieldTransform;
}

template <typename TReal>
void
ApplyAll()
{
  using Image = itk::Image<TReal, dimension>;
  const auto image = MakeImage<TReal>(false);
  const auto labels = MakeImage<TReal>(true);
  const auto affine = MakeAffine<TReal>();
  auto       composite = itk::CompositeTransform<TReal, dimension>::New();
  composite->AddTransform(affine);
  composite->AddTransform(MakeFieldTransform<TReal>(image));

  constexpr unsigned int radius = 3;
  using Boundary = itk::ConstantBoundaryCondition<Image>;
  using namespace itk::Function;
  for (const bool isLinear : { true, false })
  {
    const itk::Transform<TReal, dimension, dimension> * const transform =
      isLinear ? static_cast<const itk::Transform<TReal, dimension, dimension> *>(affine.GetPointer()) : composite;
    const auto apply = [&](const auto & interpolator, const std::string & name, Image * input) {
      Apply<TReal>(input, transform, interpolator.GetPointer(), name);
    };
    apply(itk::LinearInterpolateImageFunction<Image, TReal>::New(), "linear", image);
    apply(itk::NearestNeighborInterpolateImageFunction<Image, TReal>::New(), "nearest", labels);
    apply(itk::BSplineInterpolateImageFunction<Image, TReal>::New(), "bspline", image);
    auto gaussian = itk::GaussianInterpolateImageFunction<Image, TReal>::New();
    gaussian->SetSigma(itk::FixedArray<double, dimension>(1.0));
    gaussian->SetAlpha(4.0);
    apply(gaussian, "gaussian", image);
    using Cosine = CosineWindowFunction<radius, TReal, TReal>;
    using Hamming = HammingWindowFunction<radius, TReal, TReal>;
    using Welch = WelchWindowFunction<radius, TReal, TReal>;
    using Lanczos = LanczosWindowFunction<radius, TReal, TReal>;
    apply(itk::WindowedSincInterpolateImageFunction<Image, radius, Cosine, Boundary, TReal>::New(), "cosine", image);
    apply(itk::WindowedSincInterpolateImageFunction<Image, radius, Hamming, Boundary, TReal>::New(), "hamming", image);
    apply(itk::WindowedSincInterpolateImageFunction<Image, radius, Welch, Boundary, TReal>::New(), "welch", image);
    apply(itk::WindowedSincInterpolateImageFunction<Image, radius, Lanczos, Boundary, TReal>::New(), "lanczos", image);
    auto multiLabel = itk::LabelImageGaussianInterpolateImageFunction<Image, TReal>::New();
    multiLabel->SetSigma(itk::FixedArray<double, dimension>(1.0));
    multiLabel->SetAlpha(4.0);
    apply(multiLabel, "multilabel", labels);
  }
}

template <typename TMetric>
void
Evaluate(const std::string &                                                           name,
         itk::Transform<typename TMetric::ParametersValueType, dimension, dimension> * transform)
{
  using Real = typename TMetric::ParametersValueType;
  auto metric = TMetric::New();
  metric->SetFixedImage(MakeImage<Real>(false));
  metric->SetMovingImage(MakeImage<Real>(false, 0.3));
  metric->SetMovingTransform(transform);
  metric->SetVirtualDomainFromImage(MakeImage<Real>(false));
  metric->SetUseMovingImageGradientFilter(false); // as antsRegistration does
  metric->SetUseFixedImageGradientFilter(false);
  metric->Initialize();
  typename TMetric::MeasureType    value;
  typename TMetric::DerivativeType derivative;
  metric->GetValueAndDerivative(value, derivative);
  const auto put = [](Real number) {
    const auto wide = static_cast<double>(number);
    results.write(reinterpret_cast<const char *>(&wide), sizeof(wide));
  };
  put(value);
  for (unsigned int p = 0; p < derivative.Size(); ++p)
  {
    put(derivative[p]);
  }
  std::cout << metric->GetNameOfClass() << ' ' << name << ' ' << derivative.Size() + 1 << '\n';
}

template <typename TReal>
void
EvaluateAll()
{
  using Image = itk::Image<TReal, dimension>;
  using MeanSquares = itk::MeanSquaresImageToImageMetricv4<Image, Image, Image, TReal>;
  using Neighborhood = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image, Image, TReal>;
  const auto image = MakeImage<TReal>(false);
  Evaluate<MeanSquares>("MeanSquares", MakeAffine<TReal>());
  Evaluate<itk::CorrelationImageToImageMetricv4<Image, Image, Image, TReal>>("GC", MakeAffine<TReal>());
  Evaluate<itk::MattesMutualInformationImageToImageMetricv4<Image, Image, Image, TReal>>("MI", MakeAffine<TReal>());
  Evaluate<Neighborhood>("CC", MakeAffine<TReal>());
  Evaluate<MeanSquares>("MeanSquares-field", MakeFieldTransform<TReal>(image));
  Evaluate<Neighborhood>("CC-field", MakeFieldTransform<TReal>(image));
  Evaluate<itk::DemonsImageToImageMetricv4<Image, Image, Image, TReal>>("Demons-field",
                                                                        MakeFieldTransform<TReal>(image));
}

/** Adds waves as an update to a field of waves, each smoothed with its own mesh. */
template <typename TReal>
void
SmoothAll()
{
  using Transform = itk::BSplineSmoothingOnUpdateDisplacementFieldTransform<TReal, dimension>;
  const auto                    image = MakeImage<TReal>(false);
  const auto                    transform = Transform::New();
  typename Transform::ArrayType mesh(9); // cells whose spline is not affected by the border, which is set to 0
  transform->SetDisplacementField(MakeFieldTransform<TReal>(image)->GetModifiableDisplacementField());
  transform->SetMeshSizeForTheTotalField(mesh);
  mesh[0] = 8;
  transform->SetMeshSizeForTheUpdateField(mesh);
  typename Transform::DerivativeType update(transform->GetNumberOfParameters());
  for (unsigned int p = 0; p < update.Size(); ++p)
  {
    update[p] = static_cast<TReal>(0.7 * std::sin(0.05 * static_cast<double>(p)));
  }
  transform->UpdateTransformParameters(update, static_cast<TReal>(0.5));
  const auto & parameters = transform->GetParameters();
  for (unsigned int p = 0; p < parameters.Size(); ++p)
  {
    const auto number = static_cast<double>(parameters[p]);
    results.write(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  std::cout << transform->GetNameOfClass() << " smoothed " << parameters.Size() << '\n';
}

template <typename TClass>
void
Tell(const std::string & type)
{
  const auto made = TClass::New();
  std::cout << type << ' ' << made->GetNameOfClass() << '\n';
}

template <typename TReal>
void
TellTypes(const std::string & real)
{
  using Image = itk::Image<TReal, dimension>;
  Tell<itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image, Image, TReal>>("CC-" + real);
  Tell<itk::MattesMutualInformationImageToImageMetricv4<Image, Image, Image, TReal>>("MI-" + real);
  Tell<itk::JointHistogramMutualInformationImageToImageMetricv4<Image, Image, Image, TReal>>("JHMI-" + real);
  Tell<itk::MeanSquaresImageToImageMetricv4<Image, Image, Image, TReal>>("MeanSquares-" + real);
  Tell<itk::DemonsImageToImageMetricv4<Image, Image, Image, TReal>>("Demons-" + real);
  Tell<itk::CorrelationImageToImageMetricv4<Image, Image, Image, TReal>>("GC-" + real);
  Tell<itk::ResampleImageFilter<Image, Image, TReal>>("Resample-" + real);
  using Syn = itk::SyNImageRegistrationMethod<Image, Image, itk::DisplacementFieldTransform<TReal, dimension>>;
  Tell<Syn>("SyN-" + real);
  using Smoothing = itk::BSplineSmoothingOnUpdateDisplacementFieldTransform<TReal, dimension>;
  Tell<itk::BSplineSyNImageRegistrationMethod<Image, Image, Smoothing>>("BSplineSyN-" + real);
  using Velocity = itk::GaussianSmoothingOnUpdateTimeVaryingVelocityFieldTransform<TReal, dimension>;
  Tell<itk::TimeVaryingVelocityFieldImageRegistrationMethodv4<Image, Image, Velocity>>("Velocity-" + real);
}

} // namespace

int
main(int argc, char ** argv)
{
  const std::string what = argc > 1 ? argv[1] : "";
  if (what != "types" && !((what == "apply" || what == "evaluate" || what == "smooth") && argc == 4))
  {
    std::cerr << "usage: " << argv[0] << " apply|evaluate|smooth double|float OUTPUT | types\n";
    return EXIT_FAILURE;
  }
  try
  {
    if (what == "types")
    {
      TellTypes<double>("double");
      TellTypes<float>("float");
      // Not used by antsRegistration, and not overridden: the report of classes without an override contains it.
      using Doubles = itk::Image<double, dimension>;
      using OfFloat = itk::DisplacementFieldTransform<float, dimension>;
      Tell<itk::SyNImageRegistrationMethod<Doubles, Doubles, OfFloat>>("SyN-mixed");
      using Vectors = itk::Image<itk::Vector<double, dimension>, dimension>;
      Tell<itk::VectorNeighborhoodOperatorImageFilter<Vectors, Vectors>>("VectorNeighborhoodOperator");
      return EXIT_SUCCESS;
    }
    results.open(argv[3], std::ios::binary);
    const bool isSingle = std::string(argv[2]) == "float";
    if (what == "apply")
    {
      isSingle ? ApplyAll<float>() : ApplyAll<double>();
    }
    else if (what == "smooth")
    {
      isSingle ? SmoothAll<float>() : SmoothAll<double>();
    }
    else
    {
      isSingle ? EvaluateAll<float>() : EvaluateAll<double>();
    }
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error << '\n';
    return EXIT_FAILURE;
  }
  results.close();
  return results ? EXIT_SUCCESS : EXIT_FAILURE;
}

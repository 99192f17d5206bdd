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
// Rigid, affine, then SyN with local correlation, as antsRegistration puts them together, by ITK's classes: it includes
// no header of the module and is not linked to it. The test of the object factory runs it with and without
// ITK_AUTOLOAD_PATH; with two images it registers these, and tells the seconds of each stage. reproduction/evidence
// measures ITK by it.
//
// usage: PlainItkDeformation [--single | --splines | --float] [--iterations N,N,...] [--linear N,N,...] [--radius N]
//                            [--learning-rate R] [--out FILE] [--inverse FILE] [FIXED MOVING]
//
// --splines smooths the fields of SyN by B-splines. With --float pixels, and the transforms of SyN, are of float, as
// with antsRegistration --float 1. --out and --inverse get the displacements of SyN's field and of its inverse, both on
// the fixed image's grid.
//
// The standard output has a line for each iteration of SyN (level, value, convergence, seconds since the first level
// began), for each stage (its class, its seconds), for the rigid and affine transform (its matrix by rows, its offset:
// a place x goes from SyN's field to matrix x + offset) and for the end: the class of the method, means of the
// displacements and of the moved image's differences.

#include "itkANTSNeighborhoodCorrelationImageToImageMetricv4.h"
#include "itkAffineTransform.h"
#include "itkBSplineSmoothingOnUpdateDisplacementFieldTransformParametersAdaptor.h"
#include "itkBSplineSyNImageRegistrationMethod.h"
#include "itkCenteredTransformInitializer.h"
#include "itkCommand.h"
#include "itkCompositeTransform.h"
#include "itkDisplacementFieldTransformParametersAdaptor.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkGradientDescentOptimizerv4.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkImageRegistrationMethodv4.h"
#include "itkMattesMutualInformationImageToImageMetricv4.h"
#include "itkRegistrationParameterScalesFromPhysicalShift.h"
#include "itkShrinkImageFilter.h"
#include "itkSyNImageRegistrationMethod.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace
{

struct Options
{
  std::vector<unsigned int> linear{ 30, 15 };
  std::vector<unsigned int> iterations{ 8, 5 };
  unsigned int              radius{ 2 };
  double                    learningRate{ 0.1 }; ///< of SyN: the longest update (samples)
  bool                      isSingle{ false };
  bool                      smoothsBySplines{ false };
  bool                      isFloat{ false };
  std::string               fixed;
  std::string               moving;
  std::string               out;
  std::string               inverse;
};

double
Now()
{
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::vector<unsigned int>
NumbersOf(const std::string & list)
{
  std::vector<unsigned int> numbers;
  std::stringstream         stream(list);
  std::string               number;
  while (std::getline(stream, number, ','))
  {
    numbers.push_back(static_cast<unsigned int>(std::stoul(number)));
  }
  return numbers;
}

/** Returns waves and a ball, bent for the moving image. */
template <typename TImage>
typename TImage::Pointer
MakeImage(bool isMoving)
{
  constexpr unsigned int    dimension = TImage::ImageDimension;
  auto                      image = TImage::New();
  typename TImage::SizeType size;
  size.Fill(dimension == 2 ? 48 : 28);
  image->SetRegions(size);
  image->Allocate();
  for (itk::ImageRegionIteratorWithIndex<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    double place[dimension];
    double waves = 0.0;
    double square = 0.0;
    for (unsigned int d = 0; d < dimension; ++d)
    {
      place[d] = static_cast<double>(it.GetIndex()[d]);
    }
    for (unsigned int d = 0; d < dimension && isMoving; ++d)
    {
      place[d] += 0.8 + 1.1 * std::sin(0.2 * static_cast<double>(it.GetIndex()[(d + 1) % dimension]));
    }
    for (unsigned int d = 0; d < dimension; ++d)
    {
      waves += std::sin(0.7 * place[d] + d) + 0.5 * std::sin(1.3 * place[d] + 0.4 * place[(d + 1) % dimension]);
      square += std::pow(place[d] - 0.5 * static_cast<double>(size[d]), 2);
    }
    it.Set(static_cast<typename TImage::PixelType>(
      100.0 + 15.0 * waves + 80.0 / (1.0 + std::exp(std::sqrt(square) - 0.3 * static_cast<double>(size[0])))));
  }
  return image;
}

template <typename TImage>
typename TImage::Pointer
Read(const std::string & name)
{
  auto reader = itk::ImageFileReader<TImage>::New();
  reader->SetFileName(name);
  reader->Update();
  return reader->GetOutput();
}

/** Writes displacements if a file is given. */
template <typename TField>
void
Write(const TField * field, const std::string & name)
{
  if (!name.empty())
  {
    auto writer = itk::ImageFileWriter<TField>::New();
    writer->SetFileName(name);
    writer->SetInput(field);
    writer->Update();
  }
}

/** Prints the matrix and the offset of a linear transform: the images of the unit vectors and of 0. */
template <unsigned int VDimension>
void
TellLinear(const itk::CompositeTransform<double, VDimension> * transform)
{
  const itk::Point<double, VDimension> zero(0.0);
  const auto                           offset = transform->TransformPoint(zero);
  std::cout << "linear" << std::setprecision(17);
  for (unsigned int row = 0; row < VDimension; ++row)
  {
    for (unsigned int column = 0; column < VDimension; ++column)
    {
      auto unit = zero;
      unit[column] = 1.0;
      std::cout << ' ' << transform->TransformPoint(unit)[row] - offset[row];
    }
  }
  for (unsigned int row = 0; row < VDimension; ++row)
  {
    std::cout << ' ' << offset[row];
  }
  std::cout << std::endl;
}

/** Prints each iteration. */
template <typename TMethod>
class Observer : public itk::Command
{
public:
  using Self = Observer;
  using Pointer = itk::SmartPointer<Self>;
  itkSimpleNewMacro(Self);

  void
  Execute(itk::Object * caller, const itk::EventObject & event) override
  {
    this->Execute(static_cast<const itk::Object *>(caller), event);
  }
  void
  Execute(const itk::Object * caller, const itk::EventObject &) override
  {
    const auto * const method = static_cast<const TMethod *>(caller);
    std::cout << "iteration " << method->GetCurrentLevel() << ' ' << std::setprecision(12)
              << method->GetCurrentMetricValue() << ' ' << method->GetCurrentConvergenceValue() << ' '
              << std::setprecision(6) << Now() - m_Begin << std::endl;
  }
  double m_Begin{ Now() };
};

/** Sets shrink factors 2^(levels - 1) to 1, and sigmas of levels - 1 to 0 voxels. */
template <typename TMethod>
void
SetLevels(TMethod * method, std::size_t levels)
{
  typename TMethod::ShrinkFactorsArrayType   shrink(levels);
  typename TMethod::SmoothingSigmasArrayType sigmas(levels);
  for (std::size_t level = 0; level < levels; ++level)
  {
    shrink[level] = 1U << (levels - 1 - level);
    sigmas[level] = static_cast<double>(levels - 1 - level);
  }
  method->SetNumberOfLevels(levels);
  method->SetShrinkFactorsPerLevel(shrink);
  method->SetSmoothingSigmasPerLevel(sigmas);
  method->SetSmoothingSigmasAreSpecifiedInPhysicalUnits(false);
}

template <typename TImage, typename TTransform>
void
RegisterLinearly(const TImage *                                                  fixed,
                 const TImage *                                                  moving,
                 TTransform *                                                    transform,
                 const itk::CompositeTransform<double, TImage::ImageDimension> * before,
                 const Options &                                                 options)
{
  const double begin = Now();
  using Method = itk::ImageRegistrationMethodv4<TImage, TImage, TTransform>;
  using Metric = itk::MattesMutualInformationImageToImageMetricv4<TImage, TImage>;
  const typename Metric::Pointer metric = Metric::New();
  metric->SetNumberOfHistogramBins(32);
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  using Estimator = itk::RegistrationParameterScalesFromPhysicalShift<Metric>;
  auto estimator = Estimator::New();
  estimator->SetMetric(metric);
  estimator->SetTransformForward(true);
  auto optimizer = itk::GradientDescentOptimizerv4::New();
  optimizer->SetLearningRate(0.1);
  optimizer->SetMaximumStepSizeInPhysicalUnits(0.1);
  optimizer->SetNumberOfIterations(options.linear.front());
  optimizer->SetScalesEstimator(estimator);
  optimizer->SetMinimumConvergenceValue(1e-6);
  optimizer->SetConvergenceWindowSize(10);
  optimizer->SetDoEstimateLearningRateOnce(false);
  optimizer->SetDoEstimateLearningRateAtEachIteration(true);
  auto method = Method::New();
  method->SetFixedImage(fixed);
  method->SetMovingImage(moving);
  method->SetMetric(metric);
  method->SetOptimizer(optimizer);
  method->SetMovingInitialTransform(before);
  method->SetInitialTransform(transform);
  method->InPlaceOn();
  method->SetMetricSamplingStrategy(Method::MetricSamplingStrategyEnum::REGULAR);
  method->SetMetricSamplingPercentage(0.25);
  method->MetricSamplingReinitializeSeed(1); // points are moved at random
  SetLevels(method.GetPointer(), options.linear.size());
  method->Update();
  std::cout << "stage " << transform->GetNameOfClass() << ' ' << metric->GetNameOfClass() << ' '
            << std::setprecision(12) << optimizer->GetValue() << ' ' << std::setprecision(4) << Now() - begin
            << std::endl;
}

/** SyN with Gaussians. */
template <typename TImage, typename TNumber = double>
struct GaussianTypes
{
  using Number = TNumber; ///< of the transforms
  using Transform = itk::DisplacementFieldTransform<Number, TImage::ImageDimension>;
  using Method = itk::SyNImageRegistrationMethod<TImage, TImage, Transform>;
  using Adaptor = itk::DisplacementFieldTransformParametersAdaptor<Transform>;

  static void
  SetMesh(Adaptor *, Transform *, std::size_t)
  {}
};

/** The same with transforms of float. */
template <typename TImage>
using FloatTypes = GaussianTypes<TImage, float>;

/** SyN with B-splines, whose meshes are twice as fine from level to level. */
template <typename TImage>
struct SplineTypes
{
  using Number = double;
  using Transform = itk::BSplineSmoothingOnUpdateDisplacementFieldTransform<double, TImage::ImageDimension>;
  using Method = itk::BSplineSyNImageRegistrationMethod<TImage, TImage, Transform>;
  using Adaptor = itk::BSplineSmoothingOnUpdateDisplacementFieldTransformParametersAdaptor<Transform>;

  static void
  SetMesh(Adaptor * adaptor, Transform * transform, std::size_t level)
  {
    typename Adaptor::ArrayType mesh;
    mesh.Fill(3U << level);
    adaptor->SetTransform(transform);
    adaptor->SetMeshSizeForTheUpdateField(mesh);
    mesh.Fill(0);
    adaptor->SetMeshSizeForTheTotalField(mesh);
  }
};

/** Returns a linear transform with numbers of another type. */
template <typename TNumber, unsigned int VDimension>
typename itk::Transform<TNumber, VDimension, VDimension>::Pointer
WithNumbers(itk::CompositeTransform<double, VDimension> * transform)
{
  if constexpr (std::is_same<TNumber, double>::value)
  {
    return transform;
  }
  else
  {
    using Affine = itk::AffineTransform<TNumber, VDimension>;
    const auto                        affine = Affine::New();
    typename Affine::MatrixType       matrix;
    typename Affine::OutputVectorType shift;
    const auto                        offset = transform->TransformPoint(itk::Point<double, VDimension>(0.0));
    for (unsigned int row = 0; row < VDimension; ++row)
    {
      for (unsigned int column = 0; column < VDimension; ++column)
      {
        itk::Point<double, VDimension> unit(0.0);
        unit[column] = 1.0;
        matrix[row][column] = static_cast<TNumber>(transform->TransformPoint(unit)[row] - offset[row]);
      }
      shift[row] = static_cast<TNumber>(offset[row]);
    }
    affine->SetMatrix(matrix);
    affine->SetOffset(shift);
    return affine.GetPointer();
  }
}

template <typename TPixel, unsigned int VDimension, template <typename...> class TTypes>
void
Register(const Options & options)
{
  using Image = itk::Image<TPixel, VDimension>;
  using Rigid = std::conditional_t<VDimension == 2, itk::Euler2DTransform<double>, itk::Euler3DTransform<double>>;
  using Affine = itk::AffineTransform<double, VDimension>;
  using Composite = itk::CompositeTransform<double, VDimension>;
  using Types = TTypes<Image>;
  using Transform = typename Types::Transform;
  using Field = typename Transform::DisplacementFieldType;
  using Method = typename Types::Method;
  using Number = typename Types::Number;
  using Metric = itk::ANTSNeighborhoodCorrelationImageToImageMetricv4<Image, Image, Image, Number>;
  using Adaptor = typename Types::Adaptor;

  const double                  started = Now();
  const bool                    isGiven = !options.fixed.empty();
  const typename Image::Pointer fixed = isGiven ? Read<Image>(options.fixed) : MakeImage<Image>(false);
  const typename Image::Pointer moving = isGiven ? Read<Image>(options.moving) : MakeImage<Image>(true);
  std::cout << "read " << std::setprecision(4) << Now() - started << std::endl;

  auto rigid = Rigid::New();
  auto initializer = itk::CenteredTransformInitializer<Rigid, Image, Image>::New();
  initializer->SetFixedImage(fixed);
  initializer->SetMovingImage(moving);
  initializer->SetTransform(rigid);
  initializer->MomentsOn();
  initializer->InitializeTransform();
  auto linear = Composite::New();
  RegisterLinearly<Image, Rigid>(fixed, moving, rigid, linear, options);
  linear->AddTransform(rigid);
  auto affine = Affine::New();
  affine->SetCenter(rigid->GetCenter());
  RegisterLinearly<Image, Affine>(fixed, moving, affine, linear, options);
  linear->AddTransform(affine);
  TellLinear<VDimension>(linear);

  const double                   begin = Now();
  const typename Metric::Pointer metric = Metric::New();
  typename Metric::RadiusType    radius;
  radius.Fill(options.radius);
  metric->SetRadius(radius);
  metric->SetUseMovingImageGradientFilter(false);
  metric->SetUseFixedImageGradientFilter(false);
  const typename Method::Pointer method = Method::New();
  SetLevels(method.GetPointer(), options.iterations.size());
  typename Method::NumberOfIterationsArrayType              iterations(options.iterations.size());
  typename Method::TransformParametersAdaptorsContainerType adaptors;
  auto                                                      output = Transform::New();
  for (std::size_t level = 0; level < options.iterations.size(); ++level)
  {
    iterations[level] = options.iterations[level];
    auto shrink = itk::ShrinkImageFilter<Image, Image>::New();
    shrink->SetShrinkFactors(1U << (options.iterations.size() - 1 - level));
    shrink->SetInput(fixed);
    shrink->UpdateOutputInformation();
    auto adaptor = Adaptor::New();
    adaptor->SetRequiredSpacing(shrink->GetOutput()->GetSpacing());
    adaptor->SetRequiredSize(shrink->GetOutput()->GetLargestPossibleRegion().GetSize());
    adaptor->SetRequiredDirection(shrink->GetOutput()->GetDirection());
    adaptor->SetRequiredOrigin(shrink->GetOutput()->GetOrigin());
    Types::SetMesh(adaptor.GetPointer(), output.GetPointer(), level);
    adaptors.push_back(adaptor.GetPointer());
  }
  method->SetFixedImage(fixed);
  method->SetMovingImage(moving);
  method->SetMetric(metric);
  auto zero = Field::New();
  zero->CopyInformation(fixed);
  zero->SetRegions(fixed->GetLargestPossibleRegion());
  zero->Allocate(true);
  output->SetDisplacementField(zero);
  method->SetInitialTransform(output);
  method->InPlaceOn();
  method->SetMovingInitialTransform(WithNumbers<Number, VDimension>(linear));
  method->SetNumberOfIterationsPerLevel(iterations);
  method->SetTransformParametersAdaptorsPerLevel(adaptors);
  method->SetLearningRate(options.learningRate);
  method->SetConvergenceThreshold(1e-6);
  method->SetConvergenceWindowSize(10);
  method->SetGaussianSmoothingVarianceForTheUpdateField(3.0);
  method->SetGaussianSmoothingVarianceForTheTotalField(0.0);
  auto observer = Observer<Method>::New();
  method->AddObserver(itk::IterationEvent(), observer);
  method->Update();
  std::cout << "stage " << method->GetNameOfClass() << ' ' << metric->GetNameOfClass() << ' ' << std::setprecision(12)
            << method->GetCurrentMetricValue() << ' ' << std::setprecision(4) << Now() - begin << std::endl;

  const Field * const field = method->GetTransform()->GetDisplacementField();
  const Field * const inverse = method->GetTransform()->GetInverseDisplacementField();
  double              means[2] = { 0.0, 0.0 };
  const auto          count = field->GetBufferedRegion().GetNumberOfPixels();
  for (itk::SizeValueType n = 0; n < count; ++n)
  {
    means[0] += field->GetBufferPointer()[n].GetNorm() / static_cast<double>(count);
    means[1] += inverse->GetBufferPointer()[n].GetNorm() / static_cast<double>(count);
  }
  std::cout << "end " << method->GetNameOfClass() << ' ' << std::setprecision(12) << means[0] << ' ' << means[1]
            << std::endl;
  Write(field, options.out);
  Write(inverse, options.inverse);
}

} // namespace

int
main(int argc, char * argv[])
{
  Options                  options;
  std::vector<std::string> names;
  for (int n = 1; n < argc; ++n)
  {
    const std::string word(argv[n]);
    const bool        hasValue = n + 1 < argc;
    if (word == "--single")
    {
      options.isSingle = true;
    }
    else if (word == "--float")
    {
      options.isFloat = true;
    }
    else if (word == "--splines")
    {
      options.smoothsBySplines = true;
    }
    else if (word == "--iterations" && hasValue)
    {
      options.iterations = NumbersOf(argv[++n]);
    }
    else if (word == "--linear" && hasValue)
    {
      options.linear = NumbersOf(argv[++n]);
    }
    else if (word == "--radius" && hasValue)
    {
      options.radius = NumbersOf(argv[++n]).at(0);
    }
    else if (word == "--learning-rate" && hasValue)
    {
      options.learningRate = std::stod(argv[++n]);
    }
    else if (word == "--out" && hasValue)
    {
      options.out = argv[++n];
    }
    else if (word == "--inverse" && hasValue)
    {
      options.inverse = argv[++n];
    }
    else
    {
      names.push_back(word);
    }
  }
  if ((!names.empty() && names.size() != 2) || options.iterations.empty() || options.linear.empty() ||
      options.isSingle + options.smoothsBySplines + options.isFloat > 1)
  {
    std::cerr
      << "usage: " << argv[0]
      << " [--single | --splines | --float] [--iterations N,N,...] [--linear N,N,...] [--radius N] [--learning-rate R]"
         " [--out FILE] [--inverse FILE] [FIXED MOVING]"
      << std::endl;
    return EXIT_FAILURE;
  }
  try
  {
    if (!names.empty())
    {
      options.fixed = names[0];
      options.moving = names[1];
    }
    if (options.isFloat)
    {
      if (names.empty())
      {
        Register<float, 2, FloatTypes>(options);
      }
      Register<float, 3, FloatTypes>(options);
      return EXIT_SUCCESS;
    }
    if (options.smoothsBySplines)
    {
      if (names.empty())
      {
        Register<double, 2, SplineTypes>(options);
      }
      Register<double, 3, SplineTypes>(options);
      return EXIT_SUCCESS;
    }
    if (names.empty())
    {
      options.isSingle ? Register<float, 2, GaussianTypes>(options) : Register<double, 2, GaussianTypes>(options);
    }
    options.isSingle ? Register<float, 3, GaussianTypes>(options) : Register<double, 3, GaussianTypes>(options);
    return EXIT_SUCCESS;
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}

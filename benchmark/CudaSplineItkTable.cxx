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
// ITK's classes and those that the object factory hands out in their place, one against the other: processor time of
// this process, of all threads, on the host. A program of ITK's alone, which knows the module by ITK_AUTOLOAD_PATH;
// reproduction/itk-table runs it.
//
// usage: CudaSplineItkTable [SECONDS] [WORD]
//
// For each cell both are run in turn, for SECONDS (0.3) at least and 5 times at least; the shortest time of each
// counts, as what else runs on a machine makes times longer and never shorter. WORD: only cells whose names have it. A
// line a cell: class, method, pixel, samples an axis, threads, ms of ITK's, ms of the module's, their ratio.

#include "itkAffineTransform.h"
#include "itkBSplineDecompositionImageFilter.h"
#include "itkBSplineInterpolateImageFunction.h"
#include "itkComposeDisplacementFieldsImageFilter.h"
#include "itkDisplacementFieldJacobianDeterminantFilter.h"
#include "itkExponentialDisplacementFieldImageFilter.h"
#include "itkGradientMagnitudeRecursiveGaussianImageFilter.h"
#include "itkGradientRecursiveGaussianImageFilter.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkInvertDisplacementFieldImageFilter.h"
#include "itkIdentityTransform.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkMultiThreaderBase.h"
#include "itkNearestNeighborInterpolateImageFunction.h"
#include "itkObjectFactoryBase.h"
#include "itkRecursiveGaussianImageFilter.h"
#include "itkResampleImageFilter.h"
#include "itkSmoothingRecursiveGaussianImageFilter.h"
#include "itkVector.h"
#include "itkWarpImageFilter.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

namespace
{

constexpr unsigned int dimension = 3;

double      seconds = 0.3;
std::string word;

/** Seconds of all threads. */
double
ProcessTime()
{
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/** Returns the module's factory, which ITK has loaded. */
itk::ObjectFactoryBase::Pointer
FindFactory()
{
  for (itk::ObjectFactoryBase * const factory : itk::ObjectFactoryBase::GetRegisteredFactories())
  {
    if (std::string(factory->GetDescription()).find("CudaSpline") == 0)
    {
      return factory;
    }
  }
  return nullptr;
}

/** Runs a cell: the filter that \p make returns is updated each time with a modified input. */
void
RunCell(itk::ObjectFactoryBase *                             factory,
        const std::string &                                  name,
        itk::SizeValueType                                   size,
        unsigned int                                         threads,
        const std::function<itk::ProcessObject::Pointer()> & make)
{
  if (name.find(word) == std::string::npos)
  {
    return;
  }
  // Filters that a filter creates in its constructor or while it runs are also ITK's or the module's.
  const auto with = [factory](bool isRegistered) {
    itk::ObjectFactoryBase::UnRegisterFactory(factory);
    if (isRegistered)
    {
      itk::ObjectFactoryBase::RegisterFactory(factory);
    }
  };
  with(false);
  const itk::ProcessObject::Pointer itks = make();
  with(true);
  const itk::ProcessObject::Pointer ours = make();
  if (std::string(ours->GetNameOfClass()).compare(0, 4, "Cuda") != 0)
  {
    std::fprintf(stderr, "%s is not overridden\n", name.c_str());
    std::exit(EXIT_FAILURE);
  }
  double       shortest[2] = { std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity() };
  double       sum = 0.0;
  const double begin = ProcessTime();
  for (int run = 0; run < 5 || (sum < 2.0 * seconds && run < 2000); ++run)
  {
    for (int which = 0; which < 2; ++which)
    {
      itk::ProcessObject * const filter = which == 0 ? itks : ours;
      filter->SetNumberOfWorkUnits(threads);
      filter->GetInputs().at(0)->Modified(); // filters inside ITK's would keep their outputs
      filter->Modified();
      with(which == 1);
      const double start = ProcessTime();
      filter->Update();
      shortest[which] = std::min(shortest[which], ProcessTime() - start);
    }
    sum = ProcessTime() - begin;
  }
  std::printf("%s,%lu,%u,%.4f,%.4f,%.3f\n",
              name.c_str(),
              static_cast<unsigned long>(size),
              threads,
              shortest[0] * 1e3,
              shortest[1] * 1e3,
              shortest[1] / shortest[0]);
  std::fflush(stdout);
}

template <typename TPixel>
typename itk::Image<TPixel, dimension>::Pointer
MakeImage(itk::SizeValueType size)
{
  using Image = itk::Image<TPixel, dimension>;
  auto image = Image::New();
  image->SetRegions(Image::SizeType::Filled(size));
  image->Allocate();
  unsigned int state = 1;
  for (itk::ImageRegionIteratorWithIndex<Image> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto next = [&state] {
      state = state * 1664525U + 1013904223U;
      return static_cast<double>(state >> 24) / 2.0;
    };
    if constexpr (std::is_arithmetic<TPixel>::value)
    {
      it.Set(static_cast<TPixel>(next()));
    }
    else
    {
      TPixel pixel;
      for (unsigned int c = 0; c < TPixel::Dimension; ++c)
      {
        pixel[c] = static_cast<typename TPixel::ValueType>(next() / 64.0 - 1.0);
      }
      it.Set(pixel);
    }
  }
  return image;
}

template <typename TPixel>
void
RunPixel(itk::ObjectFactoryBase * factory, const std::string & pixel, itk::SizeValueType size, unsigned int threads)
{
  using Image = itk::Image<TPixel, dimension>;
  const auto image = MakeImage<TPixel>(size);
  auto       affine = itk::AffineTransform<double, dimension>::New();
  typename itk::AffineTransform<double, dimension>::OutputVectorType axis(1.0);
  typename itk::AffineTransform<double, dimension>::InputPointType   centre;
  centre.Fill(0.5 * static_cast<double>(size));
  affine->SetCenter(centre);
  affine->Rotate3D(axis, 0.2);
  const auto resample = [&](const std::string & method, const auto & makeInterpolator, bool turned) {
    RunCell(factory,
            "ResampleImageFilter," + method + (turned ? " turned," : " identity,") + pixel,
            size,
            threads,
            [&]() -> itk::ProcessObject::Pointer {
              auto filter = itk::ResampleImageFilter<Image, Image>::New();
              filter->SetInput(image);
              filter->SetOutputParametersFromImage(image);
              filter->SetInterpolator(makeInterpolator());
              if (turned)
              {
                filter->SetTransform(affine);
              }
              return filter.GetPointer();
            });
  };
  for (const bool turned : { false, true })
  {
    resample(
      "linear", [] { return itk::LinearInterpolateImageFunction<Image>::New(); }, turned);
    resample(
      "nearest", [] { return itk::NearestNeighborInterpolateImageFunction<Image>::New(); }, turned);
    if constexpr (std::is_arithmetic<TPixel>::value)
    {
      resample(
        "bspline 3", [] { return itk::BSplineInterpolateImageFunction<Image>::New(); }, turned);
    }
  }
  if constexpr (std::is_arithmetic<TPixel>::value)
  {
    using Field = itk::Image<itk::Vector<float, dimension>, dimension>;
    const auto warp = [&](const std::string & method, auto interpolator, const Field * field) {
      RunCell(factory, "WarpImageFilter," + method + ',' + pixel, size, threads, [&]() -> itk::ProcessObject::Pointer {
        auto filter = itk::WarpImageFilter<Image, Image, Field>::New();
        filter->SetInput(image);
        filter->SetDisplacementField(field);
        filter->SetOutputParametersFromImage(image);
        filter->SetInterpolator(interpolator);
        return filter.GetPointer();
      });
    };
    const auto own = MakeImage<itk::Vector<float, dimension>>(size);
    const auto coarse = MakeImage<itk::Vector<float, dimension>>(size / 4);
    coarse->SetSpacing(typename Field::SpacingType(4.0));
    warp("linear own grid", itk::LinearInterpolateImageFunction<Image>::New(), own);
    warp("nearest own grid", itk::NearestNeighborInterpolateImageFunction<Image>::New(), own);
    warp("linear coarse field", itk::LinearInterpolateImageFunction<Image>::New(), coarse);
    RunCell(factory, "SmoothingRecursiveGaussianImageFilter,sigma 2," + pixel, size, threads, [&] {
      auto filter = itk::SmoothingRecursiveGaussianImageFilter<Image, Image>::New();
      filter->SetInput(image);
      filter->SetSigma(2.0);
      return itk::ProcessObject::Pointer(filter.GetPointer());
    });
  }
  if constexpr (std::is_same<TPixel, float>::value || std::is_same<TPixel, short>::value)
  {
    RunCell(factory, "BSplineDecompositionImageFilter,order 3," + pixel, size, threads, [&] {
      auto filter = itk::BSplineDecompositionImageFilter<Image, itk::Image<double, dimension>>::New();
      filter->SetInput(image);
      return itk::ProcessObject::Pointer(filter.GetPointer());
    });
    RunCell(factory, "RecursiveGaussianImageFilter,axis 1," + pixel, size, threads, [&] {
      auto filter = itk::RecursiveGaussianImageFilter<Image, itk::Image<float, dimension>>::New();
      filter->SetInput(image);
      filter->SetDirection(1);
      filter->SetSigma(2.0);
      filter->InPlaceOff();
      return itk::ProcessObject::Pointer(filter.GetPointer());
    });
    RunCell(factory, "GradientMagnitudeRecursiveGaussianImageFilter,sigma 2," + pixel, size, threads, [&] {
      auto filter = itk::GradientMagnitudeRecursiveGaussianImageFilter<Image, itk::Image<float, dimension>>::New();
      filter->SetInput(image);
      filter->SetSigma(2.0);
      return itk::ProcessObject::Pointer(filter.GetPointer());
    });
    RunCell(factory, "GradientRecursiveGaussianImageFilter,sigma 2," + pixel, size, threads, [&] {
      using Gradient = itk::Image<itk::CovariantVector<double, dimension>, dimension>;
      auto filter = itk::GradientRecursiveGaussianImageFilter<Image, Gradient>::New();
      filter->SetInput(image);
      filter->SetSigma(2.0);
      return itk::ProcessObject::Pointer(filter.GetPointer());
    });
  }
}

/** Filters of displacement fields. */
template <typename TNumber>
void
RunFields(itk::ObjectFactoryBase * factory, const std::string & pixel, itk::SizeValueType size, unsigned int threads)
{
  using Field = itk::Image<itk::Vector<TNumber, dimension>, dimension>;
  const auto field = MakeImage<itk::Vector<TNumber, dimension>>(size);
  auto       smooth = itk::SmoothingRecursiveGaussianImageFilter<Field, Field>::New(); // has an inverse
  smooth->SetInput(field);
  smooth->SetSigma(3.0);
  smooth->Update();
  const auto run = [&](const std::string & name, const std::function<itk::ProcessObject::Pointer()> & make) {
    RunCell(factory, name + ',' + pixel, size, threads, make);
  };
  run("ComposeDisplacementFieldsImageFilter,linear", [&] {
    auto filter = itk::ComposeDisplacementFieldsImageFilter<Field>::New();
    filter->SetDisplacementField(smooth->GetOutput());
    filter->SetWarpingField(smooth->GetOutput());
    return itk::ProcessObject::Pointer(filter.GetPointer());
  });
  run("InvertDisplacementFieldImageFilter,5 iterations", [&] {
    auto filter = itk::InvertDisplacementFieldImageFilter<Field>::New();
    filter->SetDisplacementField(smooth->GetOutput());
    filter->SetMaximumNumberOfIterations(5);
    filter->SetMeanErrorToleranceThreshold(0.0);
    filter->SetMaxErrorToleranceThreshold(0.0);
    return itk::ProcessObject::Pointer(filter.GetPointer());
  });
  run("ExponentialDisplacementFieldImageFilter,4 squarings", [&] {
    auto filter = itk::ExponentialDisplacementFieldImageFilter<Field, Field>::New();
    filter->SetInput(smooth->GetOutput());
    filter->AutomaticNumberOfIterationsOff();
    filter->SetMaximumNumberOfIterations(4);
    return itk::ProcessObject::Pointer(filter.GetPointer());
  });
  run("DisplacementFieldJacobianDeterminantFilter,central differences", [&] {
    auto filter = itk::DisplacementFieldJacobianDeterminantFilter<Field, TNumber>::New();
    filter->SetInput(smooth->GetOutput());
    return itk::ProcessObject::Pointer(filter.GetPointer());
  });
}

} // namespace

int
main(int argc, char ** argv)
{
  seconds = argc > 1 ? std::atof(argv[1]) : seconds;
  word = argc > 2 ? argv[2] : "";
  setenv("CUDASPLINE_DEVICE", "cpu", 0);
  const itk::ObjectFactoryBase::Pointer factory = FindFactory();
  if (factory.IsNull())
  {
    std::fprintf(stderr, "ITK_AUTOLOAD_PATH does not name the folder CudaSplineFactories.\n");
    return EXIT_FAILURE;
  }
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(4);
  std::printf("class,method,pixel,size,threads,itk_ms,module_ms,ratio\n");
  for (const itk::SizeValueType size : { 12U, 37U, 97U }) // points on scanlines are rounded, as for most images
  {
    for (const unsigned int threads : { 1U, 2U, 4U })
    {
      RunPixel<unsigned char>(factory, "uint8", size, threads);
      RunPixel<short>(factory, "int16", size, threads);
      RunPixel<float>(factory, "float32", size, threads);
      RunPixel<double>(factory, "float64", size, threads);
      RunPixel<itk::Vector<float, 3>>(factory, "3 x float32", size, threads);
      RunFields<float>(factory, "float32", size, threads);
      RunFields<double>(factory, "float64", size, threads);
    }
  }
  return EXIT_SUCCESS;
}

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
#ifndef RegisterTestSupport_h
#define RegisterTestSupport_h

#include "TestImages.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCompositeTransform.h"
#include "itkEuler2DTransform.h"
#include "itkEuler3DTransform.h"
#include "itkSimilarity2DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTransformFileReader.h"
#include "itkTransformFileWriter.h"
#include "itkTranslationTransform.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/** \file
 * \brief Pairs of images with a known transform, and the results of CudaSplineRegister. */

/** \brief A folder with images to register. */
class RegisterTest : public ProgramTest
{
protected:
  template <unsigned int VDimension>
  using Image = itk::Image<float, VDimension>;
  template <unsigned int VDimension>
  using Transform = itk::Transform<double, VDimension, VDimension>;
  template <unsigned int VDimension>
  using Point = itk::Point<double, VDimension>;

  /** Returns smooth blobs and waves, about 0 to 200, at points in mm from the middle. */
  template <unsigned int VDimension>
  static double
  ValueAt(const Point<VDimension> & place)
  {
    double square = 0.0;
    double wave = 1.0;
    double blob = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      square += place[d] * place[d] * (1.0 + 0.5 * d);
      wave *= std::cos(0.19 * place[d] + 0.7 * d + 0.4);
      blob += (place[d] - 4.0 + 3.0 * d) * (place[d] - 4.0 + 3.0 * d);
    }
    return 90.0 * std::exp(-square / 300.0) * (1.2 + wave) + 50.0 * std::exp(-blob / 40.0);
  }

  /** Returns the grid of the images: voxels of 1 by 1.25 (by 1.5) mm, rotated, with the middle at the origin. */
  template <unsigned int VDimension>
  static typename Image<VDimension>::Pointer
  MakeGrid(unsigned int size)
  {
    typename Image<VDimension>::SizeType sizes;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      sizes[d] = size - 2 * d;
    }
    const auto                               image = MakeObliqueImage<Image<VDimension>>(sizes);
    itk::ContinuousIndex<double, VDimension> middle;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      middle[d] = 0.5 * (static_cast<double>(sizes[d]) - 1.0);
    }
    Point<VDimension> centre;
    image->TransformContinuousIndexToPhysicalPoint(middle, centre);
    auto origin = image->GetOrigin();
    origin -= centre.GetVectorFromOrigin();
    image->SetOrigin(origin);
    return image;
  }

  /** Fills an image with a function of transformed points; null: without a transform. */
  template <unsigned int VDimension>
  static void
  Fill(Image<VDimension> *                                      image,
       const Transform<VDimension> *                            transform,
       const std::function<double(const Point<VDimension> &)> & valueAt)
  {
    itk::ImageRegionIteratorWithIndex<Image<VDimension>> it(image, image->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      Point<VDimension> point;
      image->TransformIndexToPhysicalPoint(it.GetIndex(), point);
      it.Set(static_cast<float>(valueAt(transform == nullptr ? point : transform->TransformPoint(point))));
    }
  }

  /** Writes fixed.nrrd and moving.nrrd, which a transform from fixed to moving points aligns. */
  template <unsigned int VDimension>
  void
  WritePair(const Transform<VDimension> * known, unsigned int size)
  {
    const auto fixed = MakeGrid<VDimension>(size);
    const auto moving = MakeGrid<VDimension>(size + 3);
    Fill<VDimension>(fixed, known, &ValueAt<VDimension>);
    Fill<VDimension>(moving, nullptr, &ValueAt<VDimension>);
    WriteTestImage(fixed.GetPointer(), this->Path("fixed.nrrd"));
    WriteTestImage(moving.GetPointer(), this->Path("moving.nrrd"));
  }

  /** Runs the program with the pair. */
  ProgramResult
  Register(std::vector<std::string> options, ProgramSettings settings = {}) const
  {
    options.insert(options.begin(), { this->Path("fixed.nrrd"), this->Path("moving.nrrd") });
    settings.program = "CudaSplineRegister";
    return RunProgram(options, settings);
  }

  template <unsigned int VDimension>
  static typename Transform<VDimension>::Pointer
  ReadTransform(const std::string & path)
  {
    const auto reader = itk::TransformFileReaderTemplate<double>::New();
    reader->SetFileName(path);
    reader->Update();
    EXPECT_FALSE(reader->GetTransformList()->empty());
    return dynamic_cast<Transform<VDimension> *>(reader->GetTransformList()->front().GetPointer());
  }

  /** Returns the distances in mm between the points of the middle half of the grid after two transforms. */
  template <unsigned int VDimension>
  static std::vector<double>
  Distances(const Transform<VDimension> * found, const Transform<VDimension> * known, unsigned int size)
  {
    const auto                                           grid = MakeGrid<VDimension>(size);
    std::vector<double>                                  distances;
    itk::ImageRegionIteratorWithIndex<Image<VDimension>> it(grid, grid->GetBufferedRegion());
    for (; !it.IsAtEnd(); ++it)
    {
      bool isInside = true;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const auto extent = static_cast<double>(grid->GetBufferedRegion().GetSize(d));
        isInside = isInside && std::abs(static_cast<double>(it.GetIndex()[d]) - 0.5 * extent) < 0.25 * extent;
      }
      if (isInside)
      {
        Point<VDimension> point;
        grid->TransformIndexToPhysicalPoint(it.GetIndex(), point);
        distances.push_back(found->TransformPoint(point).EuclideanDistanceTo(known->TransformPoint(point)));
      }
    }
    return distances;
  }

  /** Returns the largest of Distances(). */
  template <unsigned int VDimension>
  static double
  LargestDistance(const Transform<VDimension> * found, const Transform<VDimension> * known, unsigned int size)
  {
    const std::vector<double> distances = Distances<VDimension>(found, known, size);
    return *std::max_element(distances.begin(), distances.end());
  }

  /** Returns LargestDistance() for the transform in a file. */
  template <unsigned int VDimension>
  double
  DistanceOf(const std::string & name, const Transform<VDimension> * known, unsigned int size) const
  {
    const auto found = ReadTransform<VDimension>(this->Path(name));
    return found.IsNull() ? HUGE_VAL : LargestDistance<VDimension>(found, known, size);
  }

  nlohmann::json
  ReadReport(const std::string & name = "report.json") const
  {
    return nlohmann::json::parse(Content(this->Path(name)));
  }

  static itk::Euler2DTransform<double>::Pointer
  KnownRigid()
  {
    const auto rigid = itk::Euler2DTransform<double>::New();
    rigid->SetAngle(0.1);
    itk::Vector<double, 2> shift;
    shift[0] = 2.4;
    shift[1] = -1.7;
    rigid->SetTranslation(shift);
    return rigid;
  }
};

#endif

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
#ifndef RegisterFieldSupport_h
#define RegisterFieldSupport_h

#include "RegisterTestSupport.h"

#include "itkDisplacementFieldTransform.h"

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

/** \file
 * \brief Known bends, and fields that CudaSplineRegister writes. */

/** \brief Length of the images. */
inline constexpr unsigned int fieldSize = 48;

/** \brief A folder with bent images. */
class RegisterFields : public RegisterTest
{
protected:
  template <unsigned int VDimension>
  using Field = itk::Image<itk::Vector<double, VDimension>, VDimension>;

  /** Returns a smooth transform that bends the middle by up to 2 mm, after a rigid one if there is one. */
  static itk::CompositeTransform<double, 2>::Pointer
  KnownBend(const itk::Transform<double, 2, 2> * rigid)
  {
    const auto known = itk::CompositeTransform<double, 2>::New();
    if (rigid != nullptr)
    {
      known->AddTransform(const_cast<itk::Transform<double, 2, 2> *>(rigid));
    }
    const auto spline = itk::BSplineTransform<double, 2, 3>::New();
    const auto grid = MakeGrid<2>(fieldSize);
    spline->SetTransformDomainOrigin(grid->GetOrigin());
    spline->SetTransformDomainDirection(grid->GetDirection());
    itk::BSplineTransform<double, 2, 3>::PhysicalDimensionsType extent;
    extent[0] = fieldSize - 1.0;
    extent[1] = (fieldSize - 3.0) * 1.25;
    spline->SetTransformDomainPhysicalDimensions(extent);
    spline->SetTransformDomainMeshSize({ { 4, 4 } });
    auto parameters = spline->GetParameters();
    for (unsigned int p = 0; p < parameters.Size(); ++p)
    {
      parameters[p] = 2.0 * std::sin(1.9 * p);
    }
    spline->SetParametersByValue(parameters);
    known->AddTransform(spline);
    return known;
  }

  /** Returns the mean of Distances(), on which points that images do not determine (at edges, in constant regions) have
   * little effect. */
  template <unsigned int VDimension>
  static double
  MeanDistance(const Transform<VDimension> * found, const Transform<VDimension> * known)
  {
    const std::vector<double> distances = Distances<VDimension>(found, known, fieldSize);
    return std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(distances.size());
  }

  template <unsigned int VDimension>
  typename itk::DisplacementFieldTransform<double, VDimension>::Pointer
  ReadField(const std::string & name) const
  {
    const auto transform = itk::DisplacementFieldTransform<double, VDimension>::New();
    transform->SetDisplacementField(ReadTestImage<Field<VDimension>>(Path(name)));
    return transform;
  }

  /** Returns whether the programs compressed a file with all threads: zlib's own header names Unix as the system. */
  bool
  WasPackedHere(const std::string & name) const
  {
    const std::string content = Content(Path(name));
    return content.size() > 9 && content[9] == '\xFF';
  }

  /** Returns arguments of CudaSplineResample that move the moving image with the files of --output-prefix p_. */
  std::vector<std::string>
  ResampleByAntsFiles(const std::string & output) const
  {
    return { Path("moving.nrrd"),    Path(output),   "-r",
             Path("fixed.nrrd"),     "--ants-order", "-t",
             Path("p_1Warp.nii.gz"), "-t",           Path("p_0GenericAffine.mat") };
  }

  /** Returns the distance between the points of the middle half of the grid after two transforms in sequence, and after
   * a third transform. */
  template <unsigned int VDimension>
  static double
  LargestDistanceOfTwo(const Transform<VDimension> * first,
                       const Transform<VDimension> * second,
                       const Transform<VDimension> * whole)
  {
    const auto both = itk::CompositeTransform<double, VDimension>::New();
    both->AddTransform(const_cast<Transform<VDimension> *>(second));
    both->AddTransform(const_cast<Transform<VDimension> *>(first));
    return LargestDistance<VDimension>(both.GetPointer(), whole, fieldSize);
  }
};

#endif

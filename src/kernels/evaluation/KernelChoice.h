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
#ifndef KernelChoice_h
#define KernelChoice_h

#include "itkCudaSpline/math/TensorProduct.h"

#include "kernels/common/SharedMemorySizes.h"
#include "kernels/evaluation/EvaluationArguments.h"
#include "kernels/evaluation/EvaluationTilePlan.h"
#include "kernels/evaluation/ScanlinePlan.h"

#include <cstdint>
#include <string>

/** \file
 * \brief Selects the kernel of a device for an evaluation.
 *
 * A new kernel needs a .cu file with its launch (EvaluationLaunchers.h), a family here with its condition in
 * ChooseKernel(), a case in LaunchEvaluation(), and a line in CMake. */

namespace itk::CudaSpline
{

/** \brief The families of kernels, which differ in the work of a thread. */
enum class KernelFamily : unsigned char
{
  SeparableMarch,   ///< tiles of the output march along z, with sums for each axis: scaled and shifted maps
  PlaneMarch,       ///< tiles march along z, or are in a plane: maps that rotate slices in their planes
  Boxes,            ///< boxes of the output, each with a tile of the input: splines with other linear maps
  LinearScanlines,  ///< threads process lines: linear interpolation
  TextureScanlines, ///< the same with texture fetches
  Texture,          ///< from here on one thread per sample: texture fetches
  Packed,           ///< 16-bit coefficients
  Samples           ///< all methods, if no other family is better
};

/** \brief The request, in addition to the arguments of the kernels. */
struct KernelRequest
{
  Interpolation      method{ Interpolation::BSpline };
  ScalarType         element{ ScalarType::Float32 };
  CoefficientStorage storage{ CoefficientStorage::Element };
  unsigned int       order{ 3 }; ///< order of a B-spline
  Derivatives        derivatives{ Derivatives::None };
  std::int64_t       lines{ 0 }; ///< of the slab

  /** Samples of a support along an axis, for methods with a basis. */
  unsigned int
  Taps() const
  {
    InterpolationDescriptor descriptor;
    descriptor.interpolation = method;
    return static_cast<unsigned int>(GetTaps(descriptor, order, 0));
  }
};

/** \brief A kernel, and its division of the output. Tiles of marches are in the arguments. */
struct KernelChoice
{
  KernelFamily  family{ KernelFamily::Samples };
  Interpolation method{ Interpolation::BSpline };
  ScalarType    element{ ScalarType::Float32 }; ///< type of the source's elements
  TilePlan      boxes;                          ///< for Boxes
  ScanlinePlan  scanlines;                      ///< for LinearScanlines and TextureScanlines
};

/** \brief Selects the kernel of a slab. Dimensions 1 to 3.
 *
 * \param[in] request the evaluation
 * \param[in] arguments arguments of the kernels: source, coordinates and output count, with the plan of the tiles
 * \param[in] memory shared memory of the device */
template <unsigned int VDimension>
KernelChoice
ChooseKernel(const KernelRequest &                   request,
             const EvaluationArguments<VDimension> & arguments,
             const SharedMemorySizes &               memory);

/** \brief Describes a choice, e.g. "boxes of 16 x 8 x 4 samples, 256 threads".
 *
 * \param[in] choice the choice
 * \param[in] tiles tiles of its arguments */
std::string
DescribeKernel(const KernelChoice & choice, const MapTiles & tiles);

} // namespace itk::CudaSpline

#endif

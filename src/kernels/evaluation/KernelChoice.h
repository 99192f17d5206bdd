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
 * \brief Which kernel of a device evaluates: the one place that decides it.
 *
 * A new kernel is a .cu with its launch (EvaluationLaunchers.h), a family here with the line of ChooseKernel() that
 * says when it is the best, a case in LaunchEvaluation(), and a line in CMake. */

namespace itk::CudaSpline
{

/** \brief The families of kernels, by what a thread does. */
enum class KernelFamily : unsigned char
{
  SeparableMarch,   ///< tiles of the output march along z, sums by axis: maps that are scaled and shifted
  PlaneMarch,       ///< tiles march along z, or lie in a plane: maps that turn slices in themselves
  Boxes,            ///< boxes of the output, a tile of the input each: splines by other linear maps
  LinearScanlines,  ///< threads go along lines: linear interpolation
  TextureScanlines, ///< the same by fetches of a texture
  Texture,          ///< from here on one thread per sample: fetches of a texture
  Packed,           ///< coefficients of 16 bits
  Samples           ///< every method, where no other family is better
};

/** \brief The request, in addition to the arguments of the kernels. */
struct KernelRequest
{
  Interpolation      method{ Interpolation::BSpline };
  ScalarType         element{ ScalarType::Float32 };
  CoefficientStorage storage{ CoefficientStorage::Element };
  unsigned int       order{ 3 }; ///< of a B-spline
  Derivatives        derivatives{ Derivatives::None };
  std::int64_t       lines{ 0 }; ///< of the slab

  /** Samples of a support along an axis: of methods with a basis. */
  unsigned int
  Taps() const
  {
    InterpolationDescriptor descriptor;
    descriptor.interpolation = method;
    return static_cast<unsigned int>(GetTaps(descriptor, order, 0));
  }
};

/** \brief A kernel, and how it cuts the output. Tiles of marches are in the arguments. */
struct KernelChoice
{
  KernelFamily  family{ KernelFamily::Samples };
  Interpolation method{ Interpolation::BSpline };
  ScalarType    element{ ScalarType::Float32 }; ///< of the source
  TilePlan      boxes;                          ///< of Boxes
  ScanlinePlan  scanlines;                      ///< of LinearScanlines and TextureScanlines
};

/** \brief Chooses the kernel of a slab. Dimensions 1 to 3.
 *
 * \param[in] request what is evaluated
 * \param[in] arguments of the kernels: source, coordinates and output count, with the plan of the tiles
 * \param[in] memory of the device */
template <unsigned int VDimension>
KernelChoice
ChooseKernel(const KernelRequest &                   request,
             const EvaluationArguments<VDimension> & arguments,
             const SharedMemorySizes &               memory);

/** \brief A choice in words, e.g. "boxes of 16 x 8 x 4 samples, 256 threads".
 *
 * \param[in] choice the choice
 * \param[in] tiles those of its arguments */
std::string
DescribeKernel(const KernelChoice & choice, const MapTiles & tiles);

} // namespace itk::CudaSpline

#endif

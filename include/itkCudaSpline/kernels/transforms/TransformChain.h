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
#ifndef itkCudaSpline_kernels_transforms_TransformChain_h
#define itkCudaSpline_kernels_transforms_TransformChain_h

#include "itkCudaSpline/math/TransformStage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief A chain of transforms between the grids of two images, of 1 to 3 dimensions.
 *
 * A sample of the output is mapped from its index to its point, by all stages, and to a continuous index of the input,
 * without intermediate arrays. Matrices are by row and column; the leading rows and columns are used. Points are in
 * mm. */
struct TransformChain
{
  /** A matrix by row and column. */
  using Matrix = std::array<std::array<double, 3>, 3>;
  /** A point or an extent by axis, x first. */
  using Vector = std::array<double, 3>;

  /** One transform; see TransformStage. */
  struct Stage
  {
    TransformKind               kind{ TransformKind::Affine }; ///< kind of the transform
    Matrix                      matrix{};                      ///< of Affine
    Vector                      offset{};                      ///< of Affine (mm)
    std::array<std::int64_t, 3> start{ { 0, 0, 0 } };          ///< index of the grid's first sample
    std::array<std::int64_t, 3> size{ { 1, 1, 1 } };           ///< samples of the grid
    Vector                      origin{};                      ///< point of the grid's index 0 (mm)
    Matrix                      pointToIndex{};                ///< indices of the grid per mm
    int                         order{ 3 };                    ///< of BSpline
    bool                        nearest{ false };              ///< of DisplacementField
    bool                        goesOn{ false };               ///< of DisplacementField; see TransformStage
    /** Displacements (mm), in host memory. For BSpline they are in planes, one component after the other. For
     * DisplacementField they are vectors, one sample after the other. The pointer owns them, or borrows them with a
     * deleter that does nothing.
     */
    std::shared_ptr<const double> data;
    /** Displacements of DisplacementField of type float, instead of \c data. Points stay double; the sum over
     * neighbours is rounded to float after each of them. */
    std::shared_ptr<const float> singleData;
  };

  std::vector<Stage>          stages;                     ///< in the order in which they map points
  Vector                      outputOrigin{};             ///< point of the output's index 0 (mm)
  Matrix                      indexToPoint{};             ///< of the output (mm per index)
  std::array<std::int64_t, 3> regionStart{ { 0, 0, 0 } }; ///< index of the first requested sample of the output
  std::array<std::int64_t, 3> regionSize{ { 1, 1, 1 } };  ///< requested samples of the output
  Vector                      inputOrigin{};              ///< point of the input's index 0 (mm)
  Matrix                      pointToIndex{};             ///< of the input (indices per mm)

  /** Number of displacement components of a stage, for a dimension. */
  static std::int64_t
  CountOf(const Stage & stage, unsigned int dimension)
  {
    return stage.kind == TransformKind::Affine
             ? 0
             : stage.size[0] * stage.size[1] * stage.size[2] * static_cast<std::int64_t>(dimension);
  }

  /** Bytes of the displacements of a stage, for a dimension; rounded up to a multiple of 8. */
  static std::size_t
  BytesOf(const Stage & stage, unsigned int dimension)
  {
    const auto count = static_cast<std::size_t>(CountOf(stage, dimension));
    return stage.singleData != nullptr ? (count * sizeof(float) + 7) / 8 * 8 : count * sizeof(double);
  }

  /** Bytes of all stages, for a dimension. */
  std::size_t
  Bytes(unsigned int dimension) const
  {
    std::size_t bytes = 0;
    for (const Stage & stage : stages)
    {
      bytes += BytesOf(stage, dimension) + sizeof(TransformStage<3>);
    }
    return bytes;
  }
};

/** @} */
} // namespace itk::CudaSpline

#endif

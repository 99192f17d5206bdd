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
#ifndef BoxSums_h
#define BoxSums_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/registration/RotationSearch.h"

#include "kernels/fields/common/FieldGeometry.h"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

/** \file
 * \brief Sums of the voxels of an image over boxes that cover a part of it, for coarse images and centres of
 * gravity. */

namespace itk::CudaSpline
{

/** \brief Statistics of the finite voxels of a box. */
struct BoxSum
{
  double sum{ 0.0 };                                        ///< sum of the values of valid voxels
  double count{ 0.0 };                                      ///< number of valid voxels
  double lowest{ std::numeric_limits<double>::infinity() }; ///< minimum of all values, valid or not
  double least{ std::numeric_limits<double>::infinity() };  ///< minimum of the values of valid voxels
  double largest{ -std::numeric_limits<double>::infinity() };

  /** Adds the statistics of another box. */
  void
  Add(const BoxSum & other)
  {
    sum += other.sum;
    count += other.count;
    lowest = other.lowest < lowest ? other.lowest : lowest;
    least = other.least < least ? other.least : least;
    largest = other.largest > largest ? other.largest : largest;
  }
};

/** \brief First moments of a box with respect to the index in the image. */
struct BoxMoments
{
  double indices[3]{}; ///< sums of the indices of valid voxels
  double moments[3]{}; ///< sums of value times index

  /** Adds the moments of another box. */
  void
  Add(const BoxMoments & other)
  {
    for (unsigned int d = 0; d < 3; ++d)
    {
      indices[d] += other.indices[d];
      moments[d] += other.moments[d];
    }
  }
};

/** \brief Boxes that cover a part of an image, and the voxels of the part that are read: those whose offset in the part
 * is a multiple of the stride along each axis. */
struct VoxelBoxes
{
  using Sizes = std::array<std::int64_t, 3>;

  FieldGrid part;                  ///< part of the image, in indices of the image
  Sizes     width{ { 1, 1, 1 } };  ///< voxels of a box along each axis; the last boxes may have fewer
  Sizes     stride{ { 1, 1, 1 } }; ///< in voxels
};

/** \brief Sums the voxels of a box, x fastest.
 *
 * \tparam TPixel float or double */
template <typename TPixel>
struct SumBox
{
  const TPixel *       pixels; ///< of the whole image
  const std::uint8_t * inside; ///< not 0 if a voxel of the image is valid; null if all are valid
  BoxSum *             sums;
  BoxMoments *         moments; ///< null if not requested
  FieldWalk            image;
  FieldWalk            walk;     ///< over the boxes
  std::int64_t         first[3]; ///< first voxel of the part in the image
  std::int64_t         size[3];  ///< size of the part
  std::int64_t         begin[3]; ///< index of the first voxel of the image
  std::int64_t         width[3];
  std::int64_t         stride[3];

  /** First voxel of a box that is read, in the part. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           FirstOf(std::int64_t box, int axis) const
  {
    return (box * width[axis] + stride[axis] - 1) / stride[axis] * stride[axis];
  }
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           EndOf(std::int64_t box, int axis) const
  {
    const std::int64_t end = (box + 1) * width[axis];
    return end < size[axis] ? end : size[axis];
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    BoxSum     sum;
    BoxMoments moment;
    for (std::int64_t z = this->FirstOf(at[2], 2); z < this->EndOf(at[2], 2); z += stride[2])
    {
      for (std::int64_t y = this->FirstOf(at[1], 1); y < this->EndOf(at[1], 1); y += stride[1])
      {
        for (std::int64_t x = this->FirstOf(at[0], 0); x < this->EndOf(at[0], 0); x += stride[0])
        {
          const std::int64_t voxel[3] = { first[0] + x, first[1] + y, first[2] + z };
          this->AddVoxel(voxel, sum, moment);
        }
      }
    }
    const std::int64_t box = OffsetOf(walk, at);
    sums[box] = sum;
    if (moments != nullptr)
    {
      moments[box] = moment;
    }
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddVoxel(const std::int64_t (&voxel)[3], BoxSum & sum, BoxMoments & moment) const
  {
    const std::int64_t offset = OffsetOf(image, voxel);
    const auto         value = static_cast<double>(pixels[offset]);
    if (!(value - value == 0.0)) // not finite
    {
      return;
    }
    sum.lowest = value < sum.lowest ? value : sum.lowest;
    if (inside != nullptr && inside[offset] == 0)
    {
      return;
    }
    sum.sum += value;
    sum.count += 1.0;
    sum.least = value < sum.least ? value : sum.least;
    sum.largest = value > sum.largest ? value : sum.largest;
    for (int d = 0; moments != nullptr && d < 3; ++d)
    {
      const auto index = static_cast<double>(begin[d] + voxel[d]);
      moment.indices[d] += index;
      moment.moments[d] += value * index;
    }
  }
};

/** \brief Arrays for the boxes of an image, in the memory of a backend. */
struct BoxArrays
{
  const void *         pixels;
  const std::uint8_t * inside; ///< same as in SumBox
  BoxSum *             sums;
  BoxMoments *         moments; ///< null if not requested
};

/** \brief Calls \p enqueue with the body for some boxes. */
template <typename TEnqueue>
void
WalkBoxes(const FieldGrid &  image,
          ScalarType         pixel,
          const VoxelBoxes & boxes,
          const BoxArrays &  arrays,
          const TEnqueue &   enqueue)
{
  const auto run = [&](auto type) {
    using Pixel = decltype(type);
    SumBox<Pixel> body{};
    body.pixels = static_cast<const Pixel *>(arrays.pixels);
    body.inside = arrays.inside;
    body.sums = arrays.sums;
    body.moments = arrays.moments;
    body.image = WalkOf(image);
    for (unsigned int d = 0; d < 3; ++d)
    {
      const bool isAxis = d < image.dimension;
      body.first[d] = isAxis ? boxes.part.start[d] - image.start[d] : 0;
      body.size[d] = isAxis ? boxes.part.size[d] : 1;
      body.begin[d] = isAxis ? image.start[d] : 0;
      body.width[d] = isAxis ? boxes.width[d] : 1;
      body.stride[d] = isAxis ? boxes.stride[d] : 1;
      body.walk.size[d] = (body.size[d] + body.width[d] - 1) / body.width[d];
    }
    enqueue(body);
  };
  pixel == ScalarType::Float64 ? run(double()) : run(float());
}

/** \brief Sums the voxels of boxes, x fastest, and waits for the result. The result is bit-identical for each backend
 * and number of threads.
 *
 * \param[in] image image with pixels in the memory of the residence and the mask on the host
 * \param[in] isMasked true to use only voxels whose centres are inside the mask
 * \param[in] boxes boxes that cover a part of the image
 * \param[in] residence where the pixels are stored
 * \param[out] moments one for each box; null if not requested
 * \exception std::invalid_argument the pixels are neither float32 nor float64
 * \exception DeviceError out of memory, or a lost device */
std::vector<BoxSum>
SumBoxes(const MaskedImage &       image,
         bool                      isMasked,
         const VoxelBoxes &        boxes,
         const Residence &         residence,
         std::vector<BoxMoments> * moments = nullptr);

/** \brief Same as WalkBoxes(), but on a CUDA device. */
void
WalkBoxesOnCuda(const FieldGrid &  image,
                ScalarType         pixel,
                const VoxelBoxes & boxes,
                const BoxArrays &  arrays,
                const Residence &  residence);

} // namespace itk::CudaSpline

#endif

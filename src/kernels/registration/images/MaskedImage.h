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
#ifndef MaskedImage_h
#define MaskedImage_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/gaussian/RecursiveGaussian.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include "kernels/fields/common/FieldLinear.h"

#include <cstdint>

/** \file
 * \brief Gaussian smoothing of an image that uses only the pixels under its mask (normalized convolution, Knutsson and
 * Westin 1993). Without it, pixels outside the mask change the pixels around them. */

namespace itk::CudaSpline
{

/** Where the sum of a Gaussian's weights under the mask is smaller, the image fades to 0: it is not compared there. */
inline constexpr double MinMaskedShare = 0.02;

/** \brief Smooths the pixels of an image under its mask. Beyond the mask's border the image is continued with their
 * means.
 *
 * \param[in] side image and mask, which may be on different grids
 * \param[in] smoothing DescribeSmoothing() of the image
 * \param[in] keepsPixels whether pixels under the mask are not changed
 * \param[in] residence memory of the backend
 * \exception DeviceError out of memory, or a lost device */
ResidentImage
SmoothUnderMask(const SynSide &            side,
                const GaussianDescriptor & smoothing,
                bool                       keepsPixels,
                const Residence &          residence);

/** \brief The arrays of a pass: images on one grid, in the memory of a backend. */
struct MaskedImageArrays
{
  ResidentImage        image; ///< the original image
  const std::uint8_t * mask;
  void *               values;       ///< the image under the mask, 0 elsewhere; the result of the second pass
  void *               shares;       ///< 1 under the mask, 0 elsewhere
  const void *         smoothValues; ///< null in the first pass
  const void *         smoothShares;
  bool                 keepsPixels;
};

/** \brief Computes values and shares. */
template <typename TPixel>
struct MaskedValues
{
  const TPixel *       image;
  const std::uint8_t * mask;
  TPixel *             values;
  TPixel *             shares;
  FieldWalk            walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    values[offset] = mask[offset] != 0 ? image[offset] : TPixel(0);
    shares[offset] = mask[offset] != 0 ? TPixel(1) : TPixel(0);
  }
};

/** \brief Divides smoothed values by smoothed shares. */
template <typename TPixel>
struct ValuesByShares
{
  const TPixel *       image;
  const std::uint8_t * mask;
  const TPixel *       values;
  const TPixel *       shares;
  TPixel *             output;
  bool                 keepsPixels;
  FieldWalk            walk;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    const auto         least = static_cast<TPixel>(MinMaskedShare);
    const TPixel       share = shares[offset] > least ? shares[offset] : least;
    output[offset] = keepsPixels && mask[offset] != 0 ? image[offset] : values[offset] / share;
  }
};

/** \brief Calls \p enqueue with the body of a pass. */
template <typename TEnqueue>
void
WalkMaskedImage(const MaskedImageArrays & arrays, const TEnqueue & enqueue)
{
  const FieldWalk walk = WalkOf(arrays.image.grid);
  const auto      run = [&](auto pixel) {
    using Pixel = decltype(pixel);
    const auto * const image = static_cast<const Pixel *>(arrays.image.data.get());
    auto * const       values = static_cast<Pixel *>(arrays.values);
    if (arrays.smoothValues == nullptr)
    {
      enqueue(MaskedValues<Pixel>{ image, arrays.mask, values, static_cast<Pixel *>(arrays.shares), walk });
    }
    else
    {
      enqueue(ValuesByShares<Pixel>{ image,
                                     arrays.mask,
                                     static_cast<const Pixel *>(arrays.smoothValues),
                                     static_cast<const Pixel *>(arrays.smoothShares),
                                     values,
                                     arrays.keepsPixels,
                                     walk });
    }
  };
  arrays.image.pixel == ScalarType::Float64 ? run(double()) : run(float());
}

/** See WalkMaskedImage(). */
void
WalkMaskedImageOnCuda(const MaskedImageArrays & arrays, const Residence & residence);

} // namespace itk::CudaSpline

#endif

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
#ifndef GaussianTestSupport_h
#define GaussianTestSupport_h

#include "RandomData.h"

#include "itkImage.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

/** \file
 * \brief Sigmas, and bitwise comparison, for the tests of filters with recursive Gaussians. */

namespace CudaSplineTest
{

/** Returns standard deviations of 0.7 to 4 pixels per axis. From 0.7 pixels on, results do not leave the range of the
 * noise, beyond which ITK's cast to integers is undefined. */
template <typename TFilter, typename TImage>
typename TFilter::SigmaArrayType
RandomSigmas(const TImage * image, Random & random)
{
  typename TFilter::SigmaArrayType sigmas;
  for (unsigned int d = 0; d < TImage::ImageDimension; ++d)
  {
    sigmas[d] = random.Uniform(0.7, 4.0) * image->GetSpacing()[d];
  }
  return sigmas;
}

/** Expects the same geometry and the same bits for pixels with one or several numbers. */
template <typename TImage>
void
ExpectSame(const TImage * own, const TImage * itks)
{
  ASSERT_EQ(own->GetBufferedRegion(), itks->GetBufferedRegion());
  EXPECT_EQ(own->GetRequestedRegion(), itks->GetRequestedRegion());
  EXPECT_EQ(own->GetLargestPossibleRegion(), itks->GetLargestPossibleRegion());
  EXPECT_EQ(own->GetSpacing(), itks->GetSpacing());
  EXPECT_EQ(own->GetOrigin(), itks->GetOrigin());
  EXPECT_EQ(own->GetDirection(), itks->GetDirection());
  std::size_t       different = 0;
  const std::size_t count = own->GetBufferedRegion().GetNumberOfPixels();
  for (std::size_t i = 0; i < count; ++i)
  {
    const auto * const a = own->GetBufferPointer() + i;
    const auto * const b = itks->GetBufferPointer() + i;
    if (std::memcmp(a, b, sizeof(typename TImage::PixelType)) != 0 && ++different <= 3)
    {
      ADD_FAILURE() << "pixel " << i << ": " << +*a << " and in ITK " << +*b;
    }
  }
  EXPECT_EQ(different, 0u) << "of " << count << " pixels";
}

} // namespace CudaSplineTest

#endif

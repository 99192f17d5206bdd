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
#ifndef TextureLayout_h
#define TextureLayout_h

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/math/Extension.h"

namespace itk::CudaSpline
{

/** \brief Maps texels to coefficients. A texture contains the samples and margins, which are filled according to the
 * extension. */
struct TextureLayout
{
  std::int64_t size[3];   ///< number of samples for each axis
  std::int64_t texels[3]; ///< number of texels for each axis, including the margins
  int          margin[3]; ///< 0 for axes beyond the dimension
  Extension    extension[3];

  /** \param[in] source descriptor with the storage Texture */
  explicit TextureLayout(const SourceDescriptor & source)
  {
    for (unsigned int d = 0; d < 3; ++d)
    {
      size[d] = source.size[d];
      texels[d] = source.Texels(d);
      margin[d] = d < source.dimension ? TextureMargin(source.order) : 0;
      extension[d] = source.extension[d];
    }
  }

  /** Number of rows of texels. */
  std::int64_t
  Rows() const
  {
    return texels[1] * texels[2];
  }

  /** \brief Index of the sample at a texel of an axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Fold(unsigned int axis, std::int64_t texel) const
  {
    return FoldIndex(texel - margin[axis], size[axis], extension[axis]);
  }

  /** \brief Offset of the first sample of a row of texels, in elements. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           OffsetOfRow(std::int64_t row) const
  {
    return (this->Fold(2, row / texels[1]) * size[1] + this->Fold(1, row % texels[1])) * size[0];
  }
};

} // namespace itk::CudaSpline

#endif

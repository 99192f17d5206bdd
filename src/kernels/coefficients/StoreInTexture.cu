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
#include "itkCudaSpline/device/DeviceBuffer.h"
#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/device/StagedCopy.h"
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/device/Texture.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"

#include "kernels/coefficients/StoreCoefficients.h"
#include "kernels/coefficients/TextureLayout.h"

#include <cuda_runtime.h>

#include <limits>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

constexpr unsigned int BlockTexels = 32; ///< a warp extends along the row
constexpr unsigned int BlockRows = 8;

/** One thread per texel. */
template <bool VIsVolume>
__global__ void
__launch_bounds__(BlockTexels * BlockRows) TextureKernel(const __grid_constant__ TextureLayout layout,
                                                         const float *                         elements,
                                                         std::int64_t                          rows,
                                                         unsigned long long                    surface)
{
  const std::int64_t across = (layout.texels[0] + BlockTexels - 1) / BlockTexels;
  const std::int64_t x = std::int64_t{ blockIdx.x } % across * BlockTexels + threadIdx.x;
  const std::int64_t row = std::int64_t{ blockIdx.x } / across * BlockRows + threadIdx.y;
  if (x < layout.texels[0] && row < rows)
  {
    const float value = elements[layout.OffsetOfRow(row) + layout.Fold(0, x)];
    const int   y = static_cast<int>(row % layout.texels[1]);
    const int   byte = static_cast<int>(x * static_cast<std::int64_t>(sizeof(float)));
    if constexpr (VIsVolume)
    {
      surf3Dwrite(value, surface, byte, y, static_cast<int>(row / layout.texels[1]));
    }
    else
    {
      surf2Dwrite(value, surface, byte, y);
    }
  }
}

void
LaunchTextureKernel(const SourceDescriptor & descriptor,
                    const void *             elements,
                    const FloatTexture3D &   texture,
                    const Stream &           stream)
{
  const TextureLayout layout(descriptor);
  const std::int64_t  across = (layout.texels[0] + BlockTexels - 1) / BlockTexels;
  const std::int64_t  blocks = across * ((layout.Rows() + BlockRows - 1) / BlockRows);
  if (blocks > std::numeric_limits<int>::max())
  {
    throw DeviceError(DeviceError::Kind::Other, "A texture has more texels than a grid of blocks can fill.");
  }
  const auto kernel = descriptor.dimension == 3 ? TextureKernel<true> : TextureKernel<false>;
  kernel<<<static_cast<unsigned int>(blocks), dim3(BlockTexels, BlockRows), 0, stream.Get()>>>(
    layout, static_cast<const float *>(elements), layout.Rows(), texture.GetSurface());
  CheckCuda(cudaGetLastError(), "TextureKernel");
}

/** Data that a source in a texture owns. */
struct OwnedTexture
{
  FloatTexture3D texture;
  DeviceBuffer   table;
};

} // namespace

std::shared_ptr<const SampleSource>
StoreInTexture(const SourceDescriptor & descriptor, DeviceBuffer elements, int device, const Stream & stream)
{
  const MemoryPlan plan = PlanSource(descriptor, std::numeric_limits<std::size_t>::max());
  if (!plan.fits)
  {
    throw DeviceError(DeviceError::Kind::Other, "Coefficients do not fit a texture: " + plan.reason + ".");
  }
  const auto statistics = MeasureOnCuda(descriptor, static_cast<const float *>(elements.Data()), true, stream);
  stream.Synchronize(); // the allocation of the array is not ordered by the stream, and may use memory that the
                        // prefilter has freed
  const auto owner = std::make_shared<OwnedTexture>();
  owner->texture = FloatTexture3D(descriptor.Texels(0),
                                  descriptor.Texels(1),
                                  descriptor.dimension == 3 ? descriptor.Texels(2) : 0,
                                  TextureFilter::Linear);
  LaunchTextureKernel(descriptor, elements.Data(), owner->texture, stream);
  if (descriptor.TableBytes() > 0)
  {
    std::vector<unsigned char> table(descriptor.TableBytes() + alignof(PairedTableEntry<3>));
    auto * const               entries =
      table.data() +
      (alignof(PairedTableEntry<3>) - reinterpret_cast<std::uintptr_t>(table.data()) % alignof(PairedTableEntry<3>));
    FillTable(descriptor, entries);
    owner->table = DeviceBuffer(descriptor.TableBytes(), stream);
    Uploader().Copy(owner->table.Data(), entries, descriptor.TableBytes(), stream);
    stream.Synchronize();
  }
  stream.Synchronize();
  return std::make_shared<SampleSource>(descriptor,
                                        Backend::Cuda,
                                        device,
                                        std::shared_ptr<const void>(owner, nullptr),
                                        StorageScale(),
                                        ContentsOf(statistics, owner->texture.Get(), owner->table.Data()));
}

} // namespace itk::CudaSpline

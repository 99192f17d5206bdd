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
#ifndef itkCudaSpline_kernels_coefficients_SampleSource_h
#define itkCudaSpline_kernels_coefficients_SampleSource_h

#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/math/CoefficientStorage.h"
#include "itkCudaSpline/math/Extension.h"
#include "itkCudaSpline/math/ScalarType.h"
#include "itkCudaSpline/math/TextureStorage.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <ostream>
#include <utility>

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Maximum dimension of an image in the kernels layer. */
inline constexpr unsigned int MaximumDimension = 4;

/** \brief How B-spline coefficients are computed from samples. */
struct PrefilterMethod
{
  /** \brief The filters. */
  enum class Kind : unsigned char
  {
    Exact,       ///< truncated recursion, exact to the precision of the elements (RecursionWarmUp)
    ItkHorizon,  ///< the same, truncated as in ITK, at 1e-10 of a sample (ItkHorizon)
    Fir,         ///< Champagnat and Le Sant: convolution with the taps of FirTaps(), normalised to a sum of 1
    Coefficients ///< no filter: the pixels are coefficients already
  };

  Kind kind{ Kind::Exact }; ///< the filter
  int  taps{ 15 };          ///< for Fir: odd, from 1 to MaximumFirTaps

  /** True if both run the same filter. */
  bool
  operator==(const PrefilterMethod & other) const
  {
    return kind == other.kind && (kind != Kind::Fir || taps == other.taps);
  }
};

/** \brief Name of a prefilter in messages. */
constexpr const char *
NameOf(PrefilterMethod::Kind kind)
{
  switch (kind)
  {
    case PrefilterMethod::Kind::Exact:
      return "Exact";
    case PrefilterMethod::Kind::ItkHorizon:
      return "ItkHorizon";
    case PrefilterMethod::Kind::Fir:
      return "Fir";
    default:
      return "Coefficients";
  }
}

/** \brief Prints the name of a prefilter. */
inline std::ostream &
operator<<(std::ostream & stream, PrefilterMethod::Kind kind)
{
  return stream << NameOf(kind);
}

/** \brief Minimum number of entries of a lookup table of weights, as in the publications. */
inline constexpr int SmallestTable = 128;

/** \brief Maximum number of entries of a lookup table of weights: the fraction of a float distinguishes hardly more. */
inline constexpr int LargestTable = 65536;

/** \brief How an image is prepared before its evaluation: part of the kernel descriptor.
 *
 * All values are run-time: pixel types are used in LoadScalar() only. */
struct SourceDescriptor
{
  unsigned int                               dimension{ 3 };          ///< 1 to MaximumDimension
  std::array<std::int64_t, MaximumDimension> start{ { 0, 0, 0, 0 } }; ///< index of the first sample in memory
  std::array<std::int64_t, MaximumDimension> size{ { 1, 1, 1, 1 } };  ///< samples per axis, x first; 1 for unused axes
  ScalarType                                 pixel{ ScalarType::Float32 }; ///< type of the host image
  /** Type of an element of the source: \c pixel if samples are copied unchanged (nearest neighbour), else Float32 or
   * Float64. */
  ScalarType      element{ ScalarType::Float32 };
  unsigned int    order{ 0 }; ///< B-spline order of the prefilter; 0 and 1: no filter
  PrefilterMethod method;     ///< for orders 2 to 5
  /** Components of a pixel: contiguous in the host image, and in planes one after the other in a source that is not
   * interleaved. Elements of several components are Float32 or Float64. */
  unsigned int components{ 1 };
  /** Whether the components of a pixel are contiguous in the source, too, which is fastest on the host. For orders 0
   * and 1, storage Element, on the host. */
  bool isInterleaved{ false };
  /** How lines are continued outside, for each axis. */
  std::array<Extension, MaximumDimension> extension{
    { Extension::Mirror, Extension::Mirror, Extension::Mirror, Extension::Mirror }
  };
  /** How the elements are stored. All storages except Element require Float32 elements of one component. */
  CoefficientStorage storage{ CoefficientStorage::Element };
  /** For storage Texture and orders 2 to 5: entries of a lookup table of weights for EvaluationMode::TextureTable,
   * SmallestTable to LargestTable; 0: no table. */
  int tableEntries{ 0 };

  /** Number of samples of a component. */
  std::int64_t
  Count() const
  {
    return size[0] * size[1] * size[2] * size[3];
  }

  /** Number of elements: of all samples and components. */
  std::int64_t
  Elements() const
  {
    return this->Count() * components;
  }

  /** Bytes of all elements, in the type in which they are computed. */
  std::size_t
  ElementBytes() const
  {
    return static_cast<std::size_t>(this->Elements()) * SizeOf(element);
  }

  /** Texels along an axis for storage Texture: the samples and a margin on either side; 1 for unused axes. */
  std::int64_t
  Texels(unsigned int axis) const
  {
    return axis < dimension ? size[axis] + std::int64_t{ 2 } * TextureMargin(order) : 1;
  }

  /** Bytes of the texels for storage Texture, rounded up to entries of a table that may follow. */
  std::size_t
  TexelBytes() const
  {
    const std::int64_t count = this->Texels(0) * this->Texels(1) * this->Texels(2) * this->Texels(3);
    return (static_cast<std::size_t>(count) * sizeof(float) + 31) / 32 * 32;
  }

  /** Bytes of the lookup table of weights. */
  std::size_t
  TableBytes() const
  {
    return static_cast<std::size_t>(order >= 2 ? tableEntries : 0) *
           (FetchesOf(order) == 2 ? sizeof(PairedTableEntry<2>) : sizeof(PairedTableEntry<3>));
  }

  /** Bytes of a source: of all elements, as they are stored. */
  std::size_t
  Bytes() const
  {
    if (storage == CoefficientStorage::Texture)
    {
      return this->TexelBytes() + this->TableBytes();
    }
    return IsPacked(storage) ? static_cast<std::size_t>(this->Elements()) * 2 : this->ElementBytes();
  }

  /** Bytes of the host image. */
  std::size_t
  PixelBytes() const
  {
    return static_cast<std::size_t>(this->Elements()) * SizeOf(pixel);
  }

  /** True if coefficients differ from the samples. */
  bool
  NeedsFilter() const
  {
    return order >= 2 && method.kind != PrefilterMethod::Kind::Coefficients;
  }

  /** True if elements differ from the pixels of the host image. */
  bool
  NeedsPreparation() const
  {
    return this->NeedsFilter() || element != pixel || (components > 1 && !isInterleaved) ||
           storage != CoefficientStorage::Element;
  }

  /** True if all fields are equal. */
  bool
  operator==(const SourceDescriptor & other) const
  {
    return dimension == other.dimension && start == other.start && size == other.size && pixel == other.pixel &&
           element == other.element && order == other.order && method == other.method &&
           components == other.components && isInterleaved == other.isInterleaved && extension == other.extension &&
           storage == other.storage && tableEntries == other.tableEntries;
  }
};

/** \brief Additional data of a source with storage Texture. */
struct TextureContents
{
  unsigned long long    object{ 0 };               ///< the texture (cudaTextureObject_t), on a device
  const void *          table{ nullptr };          ///< PairedTableEntry, in the memory of the backend; null: no table
  double                largest{ 0.0 };            ///< largest magnitude of the finite coefficients
  std::array<double, 3> difference{ { 0, 0, 0 } }; ///< largest difference of adjacent coefficients along each axis
};

/** \brief Samples or B-spline coefficients ready for evaluation, in the memory of the backend that made them.
 *
 * Its elements do not change: any number of resamplers, interpolators, threads and streams can share it. */
class SampleSource
{
public:
  /** \param[in] descriptor description of the source
   * \param[in] backend Cuda: \p data is device memory of \p device; Cpu: host memory
   * \param[in] device CUDA device number, for Cuda
   * \param[in] data first element, x fastest; owns the memory, or borrows it with a deleter that does nothing
   * \param[in] scale scale of packed elements
   * \param[in] texture for storage Texture; \p data owns it */
  SampleSource(const SourceDescriptor &    descriptor,
               Backend                     backend,
               int                         device,
               std::shared_ptr<const void> data,
               const StorageScale &        scale = {},
               const TextureContents &     texture = {})
    : m_Descriptor(descriptor)
    , m_Backend(backend)
    , m_Device(device)
    , m_Data(std::move(data))
    , m_Scale(scale)
    , m_Texture(texture)
  {}

  /** Description of the source. */
  const SourceDescriptor &
  GetDescriptor() const
  {
    return m_Descriptor;
  }
  /** Backend of its memory: Cuda or Cpu. */
  Backend
  GetBackend() const
  {
    return m_Backend;
  }
  /** CUDA device number, for Cuda. */
  int
  GetDevice() const
  {
    return m_Device;
  }
  /** First element, x fastest, in device memory (Cuda) or host memory (Cpu); null for elements in a texture. */
  const void *
  GetData() const
  {
    return m_Data.get();
  }
  /** Scale, offset and error bound of packed elements (CoefficientStorage); 1, 0 and 0 for others. */
  const StorageScale &
  GetScale() const
  {
    return m_Scale;
  }
  /** Additional data of a source with storage Texture; empty for others. */
  const TextureContents &
  GetTexture() const
  {
    return m_Texture;
  }

  /** \brief The elements in another form, which a backend makes when they are evaluated for the second time: it is not
   * worth while for a single evaluation.
   *
   * \tparam TMake std::shared_ptr<const void>()
   * \param[in] make makes the form, or returns null if it is not supported; called once, while other threads wait
   * \return the form, which exists as long as the source; null the first time, and if it is not supported */
  template <typename TMake>
  const void *
  GetSecondForm(const TMake & make) const
  {
    const std::lock_guard<std::mutex> lock(m_SecondFormMutex);
    if (m_Evaluations < 2 && ++m_Evaluations == 2)
    {
      m_SecondForm = make();
    }
    return m_SecondForm.get();
  }

  /** \brief Frees the elements in the order of a stream, after all work that is enqueued there.
   *
   * \param[in] stream a caller's cudaStream_t, not null */
  void
  FreeInOrderOf(void * stream)
  {
    m_FreedIn = stream;
  }

  /** \brief Whether work in a stream may read the elements without GetPendingWork(). */
  bool
  IsFreedInOrderOf(void * stream) const
  {
    return stream != nullptr && stream == m_FreedIn;
  }

  /** \brief An object whose destructor waits for all other work that reads the elements. The source destroys it first:
   * the elements are freed only after that work.
   *
   * \tparam TWork class with a default constructor; the same in every call
   * \return the object of this source, which the first call creates */
  template <typename TWork>
  TWork &
  GetPendingWork() const
  {
    const std::lock_guard<std::mutex> lock(m_PendingWorkMutex);
    if (m_PendingWork == nullptr)
    {
      m_PendingWork = std::make_shared<TWork>();
    }
    return *static_cast<TWork *>(m_PendingWork.get());
  }

private:
  SourceDescriptor            m_Descriptor;
  Backend                     m_Backend;
  int                         m_Device;
  std::shared_ptr<const void> m_Data;
  StorageScale                m_Scale;
  TextureContents             m_Texture;
  void *                      m_FreedIn{ nullptr };

  mutable std::mutex                  m_SecondFormMutex;
  mutable int                         m_Evaluations{ 0 }; ///< 2: two or more
  mutable std::shared_ptr<const void> m_SecondForm;

  mutable std::mutex            m_PendingWorkMutex;
  mutable std::shared_ptr<void> m_PendingWork; ///< the last member, so that it is destroyed first
};

/** @} */
} // namespace itk::CudaSpline

#endif

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
#ifndef itkCudaSplineSourceCache_h
#define itkCudaSplineSourceCache_h

#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/kernels/coefficients/SourceCache.h"

#include "itkObject.h"
#include "itkObjectFactory.h"

namespace itk
{

/** \class CudaSplineSourceCache
 * \brief Coefficients and samples that several filters share, in the memory of the device or the host.
 *
 * To resample the same images repeatedly, create a cache and pass it to the filters
 * (CudaResampleImageFilter::SetSourceCache()). The coefficients of an image are then computed once for all filters,
 * threads and transforms. The cache finds them by a checksum of the pixels, which is computed each time: changed pixels
 * are always detected.
 *
 * \par Memory
 * At most GetMaximumBytes() are kept, on all devices and the host together; the least recently used entries are removed
 * first. If a filter needs the memory of the kept sources on a device, it empties the cache first.
 *
 * All functions are thread-safe.
 *
 * \ingroup CudaSpline */
class CudaSplineSourceCache : public Object
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaSplineSourceCache);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaSplineSourceCache;
  using Superclass = Object;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaSplineSourceCache, Object);

  /** Bytes that are kept at most; 4 GiB until it is set. */
  ///@{
  void
  SetMaximumBytes(SizeValueType bytes)
  {
    if (bytes != this->GetMaximumBytes())
    {
      m_Cache.SetMaximumBytes(bytes);
      this->Modified();
    }
  }
  SizeValueType
  GetMaximumBytes() const
  {
    return m_Cache.GetMaximumBytes();
  }
  ///@}

  /** Bytes that are kept now. */
  SizeValueType
  GetBytes() const
  {
    return m_Cache.GetBytes();
  }

  /** Frees the kept sources, except those that a filter is using. */
  void
  Clear()
  {
    m_Cache.Clear();
  }

  /** The cache as the kernels layer knows it. */
  CudaSpline::SourceCache &
  GetCache()
  {
    return m_Cache;
  }

protected:
  CudaSplineSourceCache() = default;
  ~CudaSplineSourceCache() override = default;

  /** Prints the bytes. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override
  {
    Superclass::PrintSelf(os, indent);
    os << indent << "MaximumBytes: " << this->GetMaximumBytes() << std::endl;
    os << indent << "Bytes: " << this->GetBytes() << std::endl;
  }

private:
  CudaSpline::SourceCache m_Cache{ std::size_t{ 4 } << 30 };
};

} // namespace itk

#endif

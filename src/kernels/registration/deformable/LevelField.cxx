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
#include "kernels/registration/deformable/LevelField.h"

#include "itkCudaSpline/kernels/common/MemoryPlan.h"

#include "device/LargePages.h"
#include "kernels/metrics/images/ConvertNumbers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

namespace itk::CudaSpline
{

LevelField::LevelField(const FieldShape & shape, const Residence & residence)
  : LevelField(shape, residence, std::make_shared<PagedArrays>(1, shape.Bytes(), 1, residence), 0)
{}

LevelField::LevelField(const FieldShape &           shape,
                       const Residence &            residence,
                       std::shared_ptr<PagedArrays> pages,
                       std::size_t                  page)
  : m_Shape(shape)
  , m_Residence(residence)
  , m_Pages(std::move(pages))
  , m_Page(page)
{
  this->Clear();
}

void
LevelField::Set(const void * vectors, ScalarType element)
{
  void * const own = this->Data(PageUse::Overwrite);
  if (element == m_Shape.element)
  {
    Upload(own, vectors, m_Shape.Bytes(), m_Residence);
    return;
  }
  ResidentArray copy(static_cast<std::size_t>(m_Shape.Numbers()) * SizeOf(element), m_Residence);
  Upload(copy.Data(), vectors, copy.Bytes(), m_Residence);
  ConvertNumbers(copy.Data(), element, own, m_Shape.Numbers(), m_Residence);
}

void
LevelField::Get(void * vectors, ScalarType element) const
{
  CopyFieldTo(vectors, element, FieldMemory::Host, this->Data(PageUse::Read), m_Shape, m_Residence);
}

void
LevelField::AdaptFrom(const LevelField & other, const FieldRegions * regions)
{
  if (other.m_Shape.element != m_Shape.element)
  {
    throw std::invalid_argument("The fields of all levels of a registration must have the same type.");
  }
  const ExecutionContext & from = other.m_Residence.GetContext();
  const ExecutionContext & to = m_Residence.GetContext();
  const void *             field = other.Data(PageUse::Read);
  ResidentArray            moved;
  if (from.backend == to.backend && (!m_Residence.IsOnDevice() || from.device == to.device))
  {
    other.m_Residence.Wait(); // it may be in another stream
  }
  else
  {
    const std::unique_ptr<char[]> copy(new char[other.m_Shape.Bytes()]);
    Download(copy.get(), field, other.m_Shape.Bytes(), other.m_Residence);
    moved = ResidentArray(other.m_Shape.Bytes(), m_Residence);
    Upload(moved.Data(), copy.get(), moved.Bytes(), m_Residence);
    field = moved.Data();
  }
  void * const own = this->Data(PageUse::Overwrite);
  if (other.m_Shape.grid == m_Shape.grid)
  {
    CopyResident(own, field, m_Shape.Bytes(), m_Residence);
  }
  else
  {
    ResampleField(other.m_Shape, field, m_Shape, own, m_Residence);
    if (regions != nullptr && regions->AreUsed())
    {
      regions->Resample(other.m_Shape, field, own);
    }
  }
  m_Residence.Wait(); // before the other field is freed
}

FieldInversionState
LevelField::GetInverse(const FieldInversion & rules,
                       void *                 inverse,
                       FieldInversionState *  state,
                       void *                 scratch,
                       void *                 vectors,
                       ScalarType             element,
                       FieldMemory            memory) const
{
  ClearResident(inverse, m_Shape.Bytes(), m_Residence);
  InvertField(m_Shape, this->Data(PageUse::Read), inverse, rules, state, scratch, m_Residence);
  if (inverse != vectors)
  {
    CopyFieldTo(vectors, element, memory, inverse, m_Shape, m_Residence);
  }
  FieldInversionState cameTo;
  Download(&cameTo, state, sizeof(cameTo), m_Residence);
  return cameTo;
}

void
LevelField::Clear()
{
  ClearResident(this->Data(PageUse::Overwrite), m_Shape.Bytes(), m_Residence);
}

void
LevelFields::Clear()
{
  for (LevelField & field : m_Fields)
  {
    field.Clear();
  }
}

LevelFields::LevelFields(std::size_t        count,
                         std::size_t        temporary,
                         std::size_t        slots,
                         const FieldShape & shape,
                         const Residence &  residence)
  : m_Pages(std::make_shared<PagedArrays>(count + temporary, shape.Bytes(), slots, residence))
{
  m_Fields.reserve(count);
  for (std::size_t n = 0; n < count; ++n)
  {
    m_Fields.emplace_back(shape, residence, m_Pages, n);
  }
}

void
LevelFields::AdaptFrom(const LevelFields & other, const FieldRegions * regions)
{
  if (other.m_Fields.size() != m_Fields.size())
  {
    throw std::invalid_argument("A level has " + std::to_string(m_Fields.size()) + " fields and the one before " +
                                std::to_string(other.m_Fields.size()) + "; the numbers must be equal.");
  }
  for (std::size_t n = 0; n < m_Fields.size(); ++n)
  {
    m_Fields[n].AdaptFrom(other.m_Fields[n], regions);
  }
}

bool
IsFieldWrittenTo(ScalarType element, FieldMemory memory, const FieldShape & shape, const Residence & residence)
{
  // Other devices do not map memory of the caller.
  return residence.IsOnDevice() && memory == FieldMemory::Residence && element == shape.element &&
         residence.GetGroup() == nullptr;
}

void
CopyFieldTo(void *             vectors,
            ScalarType         element,
            FieldMemory        memory,
            const void *       field,
            const FieldShape & shape,
            const Residence &  residence)
{
  if (!residence.IsOnDevice() || memory == FieldMemory::Host)
  {
    AdviseLargePages(vectors, static_cast<std::size_t>(shape.Numbers()) * SizeOf(element));
  }
  if (!residence.IsOnDevice() || memory == FieldMemory::Residence)
  {
    if (element == shape.element)
    {
      CopyResident(vectors, field, shape.Bytes(), residence);
    }
    else
    {
      ConvertNumbers(field, shape.element, vectors, shape.Numbers(), residence);
    }
    return;
  }
  if (element == shape.element)
  {
    Download(vectors, field, shape.Bytes(), residence);
    return;
  }
  const auto    slab = std::min<std::int64_t>(shape.Numbers(), TransferChunkBytes / SizeOf(element));
  ResidentArray converted(static_cast<std::size_t>(slab) * SizeOf(element), residence);
  for (std::int64_t first = 0; first < shape.Numbers(); first += slab)
  {
    const std::int64_t count = std::min(slab, shape.Numbers() - first);
    ConvertNumbers(static_cast<const char *>(field) + static_cast<std::size_t>(first) * SizeOf(shape.element),
                   shape.element,
                   converted.Data(),
                   count,
                   residence);
    Download(static_cast<char *>(vectors) + static_cast<std::size_t>(first) * SizeOf(element),
             converted.Data(),
             static_cast<std::size_t>(count) * SizeOf(element),
             residence);
  }
}

} // namespace itk::CudaSpline

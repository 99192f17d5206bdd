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
#ifndef itkCudaSpline_kernels_registration_LevelField_h
#define itkCudaSpline_kernels_registration_LevelField_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/FieldOperations.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include "kernels/common/PagedArrays.h"
#include "kernels/fields/sliding/FieldRegions.h"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace itk::CudaSpline
{

/** \brief A field of a level, and its copies to and from the host. */
class LevelField
{
public:
  /** A field of zeros. */
  LevelField(const FieldShape & shape, const Residence & residence);
  /** A field of zeros in one of several arrays.
   *
   * \param[in] shape grid and type
   * \param[in] residence memory of the backend
   * \param[in] pages arrays of that shape
   * \param[in] page number of its array */
  LevelField(const FieldShape &           shape,
             const Residence &            residence,
             std::shared_ptr<PagedArrays> pages,
             std::size_t                  page);

  /** Its vectors, in the memory of the backend, for the steps that are enqueued before the vectors of another paged
   * field are asked for. */
  void *
  Data(PageUse use = PageUse::Change) const
  {
    return m_Pages->Use({ { m_Page, use } })[0];
  }
  /** Sets it to zero. */
  void
  Clear();
  /** \param[in] vectors host memory, \param[in] element type of the components */
  void
  Set(const void * vectors, ScalarType element);
  /** Copies the vectors. The call waits. */
  void
  Get(void * vectors, ScalarType element) const;
  /** Sets it from a field of the same type on another grid, with linear interpolation. The call waits.
   *
   * \param[in] other the other field
   * \param[in] regions regions of this field, between which vectors are not interpolated; null: one for all */
  void
  AdaptFrom(const LevelField & other, const FieldRegions * regions = nullptr);
  /** Computes the inverse, from zero. The call waits.
   *
   * \param[in] rules rules of the inversion
   * \param[out] inverse memory of the backend, of the field's shape; may be the destination
   * \param[out] state memory of the backend
   * \param[out] scratch CountInversionScratch() bytes of the backend
   * \param[out] vectors destination of the inverse
   * \param[in] element type of its components
   * \param[in] memory memory of the destination
   * \return the result of the inversion */
  FieldInversionState
  GetInverse(const FieldInversion & rules,
             void *                 inverse,
             FieldInversionState *  state,
             void *                 scratch,
             void *                 vectors,
             ScalarType             element,
             FieldMemory            memory) const;

private:
  FieldShape                   m_Shape;
  Residence                    m_Residence;
  std::shared_ptr<PagedArrays> m_Pages;
  std::size_t                  m_Page{ 0 };
};

/** \brief The fields of a level, of one shape. On a device they may take turns in its memory. */
class LevelFields
{
public:
  /** Creates fields of zeros, all of which are in the memory of the backend. */
  LevelFields(std::size_t count, const FieldShape & shape, const Residence & residence)
    : LevelFields(count, 0, count, shape, residence)
  {}
  /** Creates fields of zeros.
   *
   * \param[in] count number of fields
   * \param[in] temporary number of arrays of the same length for intermediate steps; they are numbered after the fields
   * \param[in] slots number of fields and temporary arrays that are in device memory at once
   * \param[in] shape grid and type
   * \param[in] residence memory of the backend */
  LevelFields(std::size_t        count,
              std::size_t        temporary,
              std::size_t        slots,
              const FieldShape & shape,
              const Residence &  residence);

  /** Moves the fields to the host, from where they return one at a time. On the host it has no effect. */
  void
  MoveToHost() const
  {
    m_Pages->MoveToHost();
  }
  /** The fields and temporary arrays that a step uses. See PagedArrays::Use(). */
  PagedArrays &
  GetPages()
  {
    return *m_Pages;
  }

  /** One of them. */
  const LevelField &
  operator[](std::size_t which) const
  {
    return m_Fields[which];
  }
  /** \copydoc operator[]() */
  LevelField &
  operator[](std::size_t which)
  {
    return m_Fields[which];
  }
  /** Sets all fields from those of another level, which has as many of the same type. The call waits. */
  void
  AdaptFrom(const LevelFields & other, const FieldRegions * regions = nullptr);
  /** Sets all fields to zero. */
  void
  Clear();

private:
  std::shared_ptr<PagedArrays> m_Pages;
  std::vector<LevelField>      m_Fields;
};

/** \brief Whether an operation on a device can write a field of a shape directly to a destination, without a copy. */
bool
IsFieldWrittenTo(ScalarType element, FieldMemory memory, const FieldShape & shape, const Residence & residence);

/** \brief Copies the components of a field in the memory of the backend, converted to another type if necessary. The
 * call waits if the destination is host memory. */
void
CopyFieldTo(void *             vectors,
            ScalarType         element,
            FieldMemory        memory,
            const void *       field,
            const FieldShape & shape,
            const Residence &  residence);

} // namespace itk::CudaSpline

#endif

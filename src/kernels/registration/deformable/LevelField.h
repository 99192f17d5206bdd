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

#include "kernels/fields/sliding/FieldRegions.h"

#include <cstddef>
#include <vector>

namespace itk::CudaSpline
{

/** \brief A field of a level, and its copies to and from the host. */
class LevelField
{
public:
  /** A field of zeros. */
  LevelField(const FieldShape & shape, const Residence & residence);

  /** Its vectors, in the memory of the backend. */
  void *
  Data() const
  {
    return m_Vectors.Data();
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
  FieldShape    m_Shape;
  Residence     m_Residence;
  ResidentArray m_Vectors;
};

/** \brief The fields of a level, of one shape. */
class LevelFields
{
public:
  /** Creates fields of zeros. */
  LevelFields(std::size_t count, const FieldShape & shape, const Residence & residence);

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
  std::vector<LevelField> m_Fields;
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

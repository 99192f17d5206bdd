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

#include <cstddef>
#include <vector>

namespace itk::CudaSpline
{

/** \brief A field of a level, and its ways to the host. */
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
  /** Makes it zero. */
  void
  Clear();
  /** \param[in] vectors host memory, \param[in] element type of their numbers */
  void
  Set(const void * vectors, ScalarType element);
  /** Waits. */
  void
  Get(void * vectors, ScalarType element) const;
  /** Makes it of a field on another grid, of the same type; waits. */
  void
  AdaptFrom(const LevelField & other);
  /** The inverse, from zero; waits.
   *
   * \param[in] rules of the inversion
   * \param[out] inverse memory of the backend, of the field's shape
   * \param[out] state memory of the backend
   * \param[out] scratch CountInversionScratch() bytes of the backend
   * \param[out] vectors where the inverse goes to
   * \param[in] element its numbers
   * \param[in] memory whose it is
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
  /** Fields of zeros. */
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
  /** Makes all of those of another level, as many of the same type; waits. */
  void
  AdaptFrom(const LevelFields & other);
  /** Makes them zero. */
  void
  Clear();

private:
  std::vector<LevelField> m_Fields;
};

/** \brief Numbers of a field in memory of the backend, to memory of numbers of another type if need be; waits where
 * that is the host's. */
void
GiveField(void *             vectors,
          ScalarType         element,
          FieldMemory        memory,
          const void *       field,
          const FieldShape & shape,
          const Residence &  residence);

} // namespace itk::CudaSpline

#endif

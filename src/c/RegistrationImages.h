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
#ifndef RegistrationImages_h
#define RegistrationImages_h

#include "itkCudaSpline/c/CudaSplineRegistrationC.h"

#include "c/Descriptors.h"

#include "itkCudaSpline/kernels/backend/OperationRun.h"
#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

/** \file
 * \brief What registrations of the interface have in common. All functions throw std::invalid_argument with the name of
 * the field that cannot be. */

namespace itk::CudaSpline
{

/** \brief Says of a number what is allowed instead. */
std::string
Indefinite(const std::string & name, double number, const char * allowed);

/** \brief The dimension of images that are registered: 2 or 3. */
unsigned int
CheckDimension(std::int32_t dimension, const std::string & name);

/** \brief The type of real numbers. */
ScalarType
RealOfCode(std::int32_t code, const std::string & name);

/** \brief Values of a convergence: 2 or more. */
void
CheckWindow(std::int32_t window, const std::string & name);

/** \brief One of several kinds, by its number in [0, last]. */
template <typename TEnum>
TEnum
KindOfCode(std::int32_t code, TEnum last, const std::string & name)
{
  if (code < 0 || code > static_cast<std::int32_t>(last))
  {
    throw std::invalid_argument(name + " is " + std::to_string(code) + ", and 0 to " +
                                std::to_string(static_cast<std::int32_t>(last)) + " are known.");
  }
  return static_cast<TEnum>(code);
}

/** \brief A grid as the kernels have it. */
FieldGrid
DescribeGrid(const cudaspline_grid & from, unsigned int dimension, const std::string & name);

/** \brief A grid of the kernels, for the caller. */
void
WriteGrid(const FieldGrid & grid, cudaspline_grid & to);

/** \brief The images of a registration and what is around them, in the caller's memory. */
class RegistrationImages
{
public:
  /** \param[in] registration the first pair of images, with what is around all of them
   * \param[in] pairs of which those behind the first have images of their own; null: there are none
   * \param[in] pairCount how many, 1 or more */
  explicit RegistrationImages(const cudaspline_registration &      registration,
                              const cudaspline_registration_pair * pairs = nullptr,
                              std::int32_t                         pairCount = 1);

  const FieldGrid &
  GetFixedGrid() const
  {
    return m_Fixed.image.grid;
  }
  const FieldGrid &
  GetMovingGrid() const
  {
    return m_Moving.image.grid;
  }
  ScalarType
  GetPixel() const
  {
    return m_Pixel;
  }
  const std::vector<PyramidLevel> &
  GetLevels() const
  {
    return m_Levels;
  }
  /** Bytes of images and masks. */
  std::size_t
  CountBytes() const;

  /** The fixed image where a registration runs. */
  SynSide
  MakeFixed(const Residence & residence) const
  {
    return this->Make(m_Fixed, residence);
  }
  /** The same of the moving one. */
  SynSide
  MakeMoving(const Residence & residence) const
  {
    return this->Make(m_Moving, residence);
  }

  /** The fixed images of all pairs where a registration runs, and behind them the moving ones. */
  std::array<std::vector<SynSide>, 2>
  MakePairs(const Residence & residence) const;

  /** Tells the caller of iterations. */
  RegistrationWatch
  MakeWatch() const;

  /** Runs what works on the images: where they are on a device, else where that is done first.
   *
   * \param[in] work of the whole, \param[in] plan of it on a device
   * \param[in] run does it in a residence */
  void
  Run(CallExecution &                                call,
      const std::function<OperationWork()> &         work,
      const std::function<MemoryPlan(std::size_t)> & plan,
      const std::function<void(const Residence &)> & run) const;

  /** Where results go. */
  FieldMemory
  GetMemory() const
  {
    return m_Registration.device >= 0 ? FieldMemory::Residence : FieldMemory::Host;
  }

  /** Writes what the levels have come to. */
  void
  Report(const std::vector<LevelRecord> & records) const;

private:
  /** A pair behind the first one. */
  void
  AddPair(const cudaspline_registration_pair & pair, const std::string & name);

  SynSide
  Make(const SynSide & side, const Residence & residence) const;

  const cudaspline_registration & m_Registration;
  unsigned int                    m_Dimension;
  ScalarType                      m_Pixel;
  SynSide                         m_Fixed;
  SynSide                         m_Moving;
  std::vector<SynSide>            m_Further; ///< of each further pair the fixed image, then the moving one
  std::vector<PyramidLevel>       m_Levels;
};

} // namespace itk::CudaSpline

#endif

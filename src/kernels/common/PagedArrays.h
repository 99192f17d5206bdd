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
#ifndef PagedArrays_h
#define PagedArrays_h

#include "itkCudaSpline/kernels/common/Residence.h"

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

/** \file
 * \brief Arrays that do not all fit into device memory at once. */

namespace itk::CudaSpline
{

/** \brief How a step uses an array. */
enum class PageUse
{
  Read,     ///< its content does not change
  Change,   ///< reads and changes it
  Overwrite ///< all of it is written; the previous content is not needed
};

/** \brief An array and its use. */
struct PageRequest
{
  std::size_t which;
  PageUse     use;
};

/** \brief Decides which arrays are in which slots. The array that is replaced is one that the host has already or that
 * is not needed, or else the one that was not used for longest. */
class PageTable
{
public:
  static constexpr std::size_t None = static_cast<std::size_t>(-1);

  /** What must be copied before an array can be used in a slot. */
  struct Move
  {
    std::size_t which{ None };   ///< array that is moved to the slot; None: the slot becomes free
    std::size_t slot{ 0 };       ///< its slot
    std::size_t evicted{ None }; ///< array that was in the slot
    bool        saves{ false };  ///< the evicted one must be copied to the host first
    bool        loads{ false };  ///< the array must be copied from the host
  };
  /** Number of arrays. */
  std::size_t
  Count() const
  {
    return m_Arrays.size();
  }
  /** All arrays are undefined, and none is in a slot.
   *
   * \param[in] count arrays
   * \param[in] slots slots, at least 1 */
  PageTable(std::size_t count, std::size_t slots);

  /** Records a step that uses arrays at once.
   *
   * \param[in] requests arrays, each once, at most as many as slots
   * \return the copies that the step needs, in order
   * \exception std::invalid_argument more arrays than slots, or an undefined array is read */
  std::vector<Move>
  Use(const std::vector<PageRequest> & requests);
  /** Records that all arrays move to the host.
   *
   * \return the copies that this needs, after which there is one slot */
  std::vector<Move>
  Vacate();
  /** Records that the content of an array is not needed any more. */
  void
  Drop(std::size_t which);
  /** Slot of an array; None: on the host, or undefined. */
  std::size_t
  SlotOf(std::size_t which) const
  {
    return m_Arrays[which].slot;
  }

private:
  struct Array
  {
    std::size_t slot{ None };
    bool        isDefined{ false };
    bool        isOnHost{ false }; ///< the host has its current content
  };
  struct Slot
  {
    std::size_t which{ None };
    std::size_t lastUse{ 0 };
  };

  /** Empties a slot. */
  Move
  Evict(std::size_t slot);
  /** Slot whose array is replaced. */
  std::size_t
  FindVictim() const;

  std::vector<Array> m_Arrays;
  std::vector<Slot>  m_Slots;
  std::size_t        m_Uses{ 0 };
};

/** \brief Arrays of one length that take turns in a few slots of device memory.
 *
 * An array without a slot is in page-locked host memory. It is copied to a slot when a step asks for it. Copies to and
 * from the host run at the same time as each other and as earlier steps. Only arrays that changed are copied to the
 * host. With as many slots as arrays, and on the host, nothing is copied. */
class PagedArrays
{
public:
  /** Allocates the slots. The arrays are undefined.
   *
   * \param[in] count arrays
   * \param[in] bytes length of each
   * \param[in] slots slots; at least as many as arrays: every array stays in its slot
   * \param[in] residence the backend
   * \exception DeviceError out of memory, or a lost device */
  PagedArrays(std::size_t count, std::size_t bytes, std::size_t slots, const Residence & residence);

  /** Returns arrays for the steps that are enqueued before the next call, in the memory of the backend.
   *
   * \param[in] requests arrays, each once, at most as many as slots
   * \exception DeviceError the host cannot lock memory, or a lost device */
  template <std::size_t VCount>
  std::array<void *, VCount>
  Use(const PageRequest (&requests)[VCount])
  {
    this->Bring({ requests, requests + VCount });
    std::array<void *, VCount> memory{};
    for (std::size_t i = 0; i < VCount; ++i)
    {
      memory[i] = this->MemoryOf(requests[i].which);
    }
    return memory;
  }
  /** Declares that the content of an array is not needed any more: it is not copied to the host. */
  void
  Drop(std::size_t which)
  {
    m_Table.Drop(which);
  }
  /** Frees the slots except one, after all arrays were copied to the host. On the host it has no effect.
   *
   * \exception DeviceError the host cannot lock memory, or a lost device */
  void
  MoveToHost();
  /** Whether arrays are copied to and from the host. */
  bool
  ArePaged() const
  {
    return static_cast<bool>(m_Copy);
  }
  /** Length of each array. */
  std::size_t
  Bytes() const
  {
    return m_Bytes;
  }

private:
  void
  Bring(const std::vector<PageRequest> & requests);
  void *
  MemoryOf(std::size_t which) const
  {
    return m_Slots[m_Table.SlotOf(which)].Data();
  }

  std::size_t                m_Bytes;
  Residence                  m_Residence;
  PageTable                  m_Table;
  std::vector<ResidentArray> m_Slots;
  /** Enqueues the copies of a move to or from the memory of its slot; empty: every array has a slot. */
  std::function<void(const PageTable::Move &, void *)> m_Copy;

  void
  Enqueue(const std::vector<PageTable::Move> & moves);
};

} // namespace itk::CudaSpline

#endif

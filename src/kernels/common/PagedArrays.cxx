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
#include "kernels/common/PagedArrays.h"

#include "kernels/common/ResidenceBackends.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

namespace itk::CudaSpline
{

PageTable::PageTable(std::size_t count, std::size_t slots)
  : m_Arrays(count)
  , m_Slots(std::max<std::size_t>(slots, 1))
{}

std::vector<PageTable::Move>
PageTable::Use(const std::vector<PageRequest> & requests)
{
  if (requests.size() > m_Slots.size())
  {
    throw std::invalid_argument("A step uses " + std::to_string(requests.size()) + " arrays; there are only " +
                                std::to_string(m_Slots.size()) + " slots.");
  }
  ++m_Uses;
  for (const PageRequest & request : requests)
  {
    const Array & array = m_Arrays.at(request.which);
    if (!array.isDefined && request.use != PageUse::Overwrite)
    {
      throw std::invalid_argument("A step reads array " + std::to_string(request.which) + ", which was never written.");
    }
    if (array.slot != None)
    {
      m_Slots[array.slot].lastUse = m_Uses; // before any array of the step takes its slot
    }
  }
  std::vector<Move> moves;
  for (const PageRequest & request : requests)
  {
    Array & array = m_Arrays[request.which];
    if (array.slot == None)
    {
      const std::size_t slot = this->FindVictim();
      Move              move = this->Evict(slot);
      move.which = request.which;
      move.loads = request.use != PageUse::Overwrite;
      m_Slots[slot] = { request.which, m_Uses };
      array.slot = slot;
      moves.push_back(move);
    }
    array.isDefined = true;
    array.isOnHost = array.isOnHost && request.use == PageUse::Read;
  }
  return moves;
}

std::size_t
PageTable::FindVictim() const
{
  // Arrays of the current step stay. An array that need not be copied to the host is taken first.
  const auto rank = [this](const Slot & slot) {
    const bool isInUse = slot.lastUse == m_Uses;
    const bool isSaved = slot.which != None && m_Arrays[slot.which].isDefined && !m_Arrays[slot.which].isOnHost;
    return std::make_tuple(isInUse, isSaved, slot.lastUse);
  };
  const auto victim = std::min_element(
    m_Slots.begin(), m_Slots.end(), [&rank](const Slot & one, const Slot & other) { return rank(one) < rank(other); });
  return static_cast<std::size_t>(victim - m_Slots.begin());
}

std::vector<PageTable::Move>
PageTable::Vacate()
{
  std::vector<Move> moves;
  for (std::size_t slot = 0; slot < m_Slots.size(); ++slot)
  {
    if (m_Slots[slot].which != None)
    {
      moves.push_back(this->Evict(slot));
    }
  }
  m_Slots.assign(1, Slot());
  return moves;
}

PageTable::Move
PageTable::Evict(std::size_t slot)
{
  Move move;
  move.slot = slot;
  move.evicted = m_Slots[slot].which;
  if (move.evicted != None)
  {
    Array & evicted = m_Arrays[move.evicted];
    move.saves = evicted.isDefined && !evicted.isOnHost;
    evicted.isOnHost = evicted.isDefined;
    evicted.slot = None;
  }
  return move;
}

void
PageTable::Drop(std::size_t which)
{
  Array & array = m_Arrays.at(which);
  array.isDefined = false;
  array.isOnHost = false;
}

PagedArrays::PagedArrays(std::size_t count, std::size_t bytes, std::size_t slots, const Residence & residence)
  : m_Bytes(bytes)
  , m_Residence(residence)
  , m_Table(count, residence.IsOnDevice() ? std::min(slots, count) : count)
{
  const bool arePaged = residence.IsOnDevice() && slots < count;
  for (std::size_t slot = 0; slot < (arePaged ? slots : count); ++slot)
  {
    m_Slots.emplace_back(bytes, residence);
  }
  if (arePaged)
  {
    m_Copy = MakePageCopies(count, bytes, residence);
  }
}

void
PagedArrays::Bring(const std::vector<PageRequest> & requests)
{
  this->Enqueue(m_Table.Use(requests));
}

void
PagedArrays::Enqueue(const std::vector<PageTable::Move> & moves)
{
  for (const PageTable::Move & move : moves)
  {
    if (m_Copy)
    {
      m_Copy(move, m_Slots[move.slot].Data());
    }
  }
}

void
PagedArrays::MoveToHost()
{
  if (m_Residence.IsOnDevice())
  {
    if (!m_Copy)
    {
      m_Copy = MakePageCopies(m_Table.Count(), m_Bytes, m_Residence);
    }
    this->Enqueue(m_Table.Vacate());
    m_Slots.erase(m_Slots.begin() + 1, m_Slots.end());
  }
}

} // namespace itk::CudaSpline

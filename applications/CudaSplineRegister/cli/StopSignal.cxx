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
#include "cli/StopSignal.h"

#include "io/files/AtomicOutput.h"

namespace CudaSplineRegister
{

namespace
{

struct State
{
  std::atomic<bool> listens{ false };
  std::atomic<int>  signal{ 0 };
};

State &
GetState()
{
  // Never destroyed: the thread that waits for signals may outlive static objects.
  static auto * const state = new State;
  return *state;
}

} // namespace

void
HandleSignals()
{
  GetState(); // constructed before the thread is started
  CudaSplineProgram::RemoveOutputsOnSignals([](int signal) {
    State & state = GetState();
    int     none = 0;
    return state.listens && state.signal.compare_exchange_strong(none, signal);
  });
}

void
ListenToSignals(bool listens)
{
  GetState().listens = listens;
}

const std::atomic<int> &
GetStopSignal()
{
  return GetState().signal;
}

} // namespace CudaSplineRegister

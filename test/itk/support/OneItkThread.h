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
#ifndef CudaSplineTest_OneItkThread_h
#define CudaSplineTest_OneItkThread_h

#include "itkMultiThreaderBase.h"

namespace CudaSplineTest
{

/** \brief During its lifetime, ITK filters that are created have one thread, including those inside others. Some of
 * ITK's sums depend on the order of threads. */
class OneItkThread
{
public:
  OneItkThread()
    : m_Before(itk::MultiThreaderBase::GetGlobalDefaultNumberOfThreads())
  {
    itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(1);
  }
  OneItkThread(const OneItkThread &) = delete;
  OneItkThread &
  operator=(const OneItkThread &) = delete;
  ~OneItkThread() { itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(m_Before); }

private:
  const itk::ThreadIdType m_Before;
};

} // namespace CudaSplineTest

#endif

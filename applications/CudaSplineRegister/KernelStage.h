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
#ifndef CudaSplineRegister_KernelStage_h
#define CudaSplineRegister_KernelStage_h

#include "Registration.h"

#include "itkCudaSplineBackend.h"

#include <cstddef>

namespace CudaSplineRegister
{

/** \brief What a stage whose levels the kernels run tells and records, whatever its transform. */
class KernelStage
{
protected:
  KernelStage(const RegistrationRequest & request, std::size_t number);
  ~KernelStage() = default;

  /** Tells of an iteration. \param[in] iteration without the stage's number */
  void
  Tell(Iteration iteration) const;

  /** Adds a level that has ended.
   *
   * \param[in] backend who computed it
   * \param[in] evaluations, seconds of its metric
   * \param[in] hasSamples whether a sample of the fixed image was in the moving one
   * \exception ProgramError the device that the user wants did not compute
   * \exception itk::ExceptionObject as of ITK's metric, where there is no sample */
  void
  Add(const itk::CudaSplineBackend & backend,
      unsigned int                   evaluations,
      double                         seconds,
      bool                           hasSamples,
      const LevelResult &            level);

  /** The stage, of which all levels have ended. */
  StageResult
  Conclude(const itk::CudaSplineBackend & backend, std::size_t parameters, double seconds) const;

  const RegistrationRequest & m_Request;
  const StageOptions &        m_Stage;

private:
  std::size_t m_Number;
  StageResult m_Result;
};

} // namespace CudaSplineRegister

#endif

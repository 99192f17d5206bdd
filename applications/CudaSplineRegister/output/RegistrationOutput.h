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
#ifndef CudaSplineRegister_RegistrationOutput_h
#define CudaSplineRegister_RegistrationOutput_h

#include "io/files/AtomicOutput.h"
#include "output/DeformationOutput.h"
#include "output/Report.h"
#include "output/WarpedOutput.h"

#include <list>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief The files that a registration of two images writes. */
class RegistrationOutput
{
public:
  /** \brief Opens all files, and checks whether they can be written.
   *
   * \param[in] options, request, inputs the registration
   * \param[in] finite mask of the moving image, see ResampleWithValidityMask()
   * \exception ProgramError one cannot be written */
  RegistrationOutput(const Options &               options,
                     const RegistrationRequest &   request,
                     const std::optional<Volume> & finite,
                     const OutputLayouts &         layouts,
                     const WarpedFormat &          format);

  /** \brief Writes all files, or only the transforms of a registration that was stopped. Adds times, folding and names
   * to the report. */
  void
  Write(const RegistrationRequest & request, const RegistrationResult & result, Report & report);

private:
  AtomicOutput *
  Open(const std::string & name);
  void
  WriteTransforms(const RegistrationRequest & request, const RegistrationResult & result, Report & report);

  const Options &               m_Options;
  WarpedFormat                  m_Format; ///< of --warped
  const std::optional<Volume> & m_Finite; ///< of the moving image
  std::list<AtomicOutput>       m_Files;
  AtomicOutput *                m_Transform;
  AtomicOutput *                m_Warped;
  AtomicOutput *                m_Picture;
  AtomicOutput *                m_Report;
  DeformationOutput             m_Deformation;
};

} // namespace CudaSplineRegister

#endif

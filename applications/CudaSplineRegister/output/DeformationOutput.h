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
#ifndef CudaSplineRegister_DeformationOutput_h
#define CudaSplineRegister_DeformationOutput_h

#include "io/files/AtomicOutput.h"
#include "cli/CommandLine.h"
#include "registration/Deformation.h"
#include "registration/Registration.h"
#include "registration/RegistrationInput.h"
#include "output/WarpedOutput.h"

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Returns a name that ends with a slash, and so is a folder. Empty for other names. */
std::string
FolderAskedFor(const std::string & name);

/** \brief Returns whether the result will be more than a matrix. */
bool
WillBend(const Options & options, const RegistrationRequest & request);

/** \brief The files of --output-prefix, --field, --inverse and --jacobian. */
class DeformationOutput
{
public:
  /** Opens an output with a name. Returns null if it is empty. The output outlives this object. */
  using Open = std::function<AtomicOutput *(const std::string &)>;

  /** \brief Opens all files, and checks whether they can be written.
   *
   * \exception ProgramError one cannot be written */
  DeformationOutput(const Options &             options,
                    const RegistrationRequest & request,
                    const OutputLayouts &       layouts,
                    const WarpedFormat &        format,
                    const Open &                open);

  /** \brief Returns whether Write() needs the warped moving image. */
  bool
  NeedsWarped() const
  {
    return m_Warped != nullptr;
  }

  /** \brief Writes files, fields and images at the same time, each as soon as it is known.
   *
   * \param[in] request, result the registration
   * \param[in] warped the moving image in its format, if it is needed
   * \return the change of volumes by the transform, if it is nonlinear, or if it was requested
   * \exception ProgramError a file could not be written */
  std::optional<Folding>
  Write(const RegistrationRequest & request, const RegistrationResult & result, const Volume & warped) const;

  /** \brief Writes only the matrix and the fields of --output-prefix, for a registration that was stopped.
   *
   * \return the files that were written */
  std::vector<AtomicOutput *>
  WriteTransforms(const RegistrationRequest & request, const RegistrationResult & result) const;

private:
  using Writing = std::vector<std::future<void>>;

  /** Writes a field in the background. */
  static void
  StartField(const AtomicOutput *             file,
             const itk::DataObject::Pointer & field,
             const Grid &                     grid,
             ScalarType                       type,
             Writing &                        writing);

  /** Writes an image in the background. Null: no file. */
  static void
  StartImage(const AtomicOutput * file, const Volume & image, const ImageLayout & layout, Writing & writing);

  /** Writes the matrix, and starts to write the fields. */
  std::vector<AtomicOutput *>
  StartTransforms(const RegistrationRequest & request, const RegistrationResult & result, Writing & writing) const;

  const Options & m_Options;
  OutputLayouts   m_Layouts;
  WarpedFormat    m_Format; ///< of the warped image
  AtomicOutput *  m_Composite;
  AtomicOutput *  m_InverseComposite;
  AtomicOutput *  m_Affine;
  AtomicOutput *  m_Warp; ///< null if all stages are linear, like m_InverseWarp
  AtomicOutput *  m_InverseWarp;
  AtomicOutput *  m_Warped;
  AtomicOutput *  m_InverseWarped;
  AtomicOutput *  m_Field;
  AtomicOutput *  m_Inverse;
  AtomicOutput *  m_Jacobian;
};

} // namespace CudaSplineRegister

#endif

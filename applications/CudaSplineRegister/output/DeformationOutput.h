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

/** \brief A name that is to be a folder, as its slash says; else empty. */
std::string
FolderAskedFor(const std::string & name);

/** \brief Whether what is found will be more than a matrix. */
bool
WillBend(const Options & options, const RegistrationRequest & request);

/** \brief The files of --output-prefix, --field, --inverse and --jacobian. */
class DeformationOutput
{
public:
  /** Opens an output of that name; null for an empty one. The object that is made outlives this one. */
  using Open = std::function<AtomicOutput *(const std::string &)>;

  /** \brief Opens all files, and finds out whether they can be written.
   * \exception ProgramError one cannot */
  DeformationOutput(const Options &             options,
                    const RegistrationRequest & request,
                    const OutputLayouts &       layouts,
                    const WarpedFormat &        format,
                    const Open &                open);

  /** \brief Whether Write() needs the warped moving image. */
  bool
  NeedsWarped() const
  {
    return m_Warped != nullptr;
  }

  /** \brief Writes the files, fields and images at the same time, each as soon as it is known.
   *
   * \param[in] warped the moving image in its format, if it is wanted
   * \return what the transform does to volumes, where it is more than linear, or is asked for
   * \exception ProgramError one could not be written */
  std::optional<Folding>
  Write(const RegistrationRequest & request, const RegistrationResult & result, const Volume & warped) const;

  /** \brief Writes the matrix and the fields of --output-prefix alone, as of a registration that was stopped.
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

  /** Writes an image in the background; null: no file. */
  static void
  StartImage(const AtomicOutput * file, const Volume & image, const ImageLayout & layout, Writing & writing);

  /** Writes the matrix, and starts writing the fields. */
  std::vector<AtomicOutput *>
  StartTransforms(const RegistrationRequest & request, const RegistrationResult & result, Writing & writing) const;

  const Options & m_Options;
  OutputLayouts   m_Layouts;
  WarpedFormat    m_Format; ///< of the warped image
  AtomicOutput *  m_Composite;
  AtomicOutput *  m_InverseComposite;
  AtomicOutput *  m_Affine;
  AtomicOutput *  m_Warp; ///< null where all stages are linear, as m_InverseWarp
  AtomicOutput *  m_InverseWarp;
  AtomicOutput *  m_Warped;
  AtomicOutput *  m_InverseWarped;
  AtomicOutput *  m_Field;
  AtomicOutput *  m_Inverse;
  AtomicOutput *  m_Jacobian;
};

} // namespace CudaSplineRegister

#endif

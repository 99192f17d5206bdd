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
#ifndef FileLock_h
#define FileLock_h

#include <string>

namespace itk::CudaSpline
{

/** \brief The right to make a file, which one process has at a time.
 *
 * Given back at the end of the object's life, or the process'.
 *
 * Another file beside it is locked, which is gone afterwards. */
class FileLock
{
public:
  /** Takes the right, where no process has it and the file could be written and put in its place; makes its folder.
   * Returns at once.
   *
   * \param[in] file path */
  explicit FileLock(const std::string & file);
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &
  operator=(const FileLock &) = delete;

  /** True where it was to be had. */
  explicit operator bool() const { return m_Descriptor >= 0; }

private:
  std::string m_Name;
  int         m_Descriptor{ -1 };
};

} // namespace itk::CudaSpline

#endif

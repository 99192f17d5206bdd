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
#ifndef CudaSplineRegister_QuietOutput_h
#define CudaSplineRegister_QuietOutput_h

#include <string>

namespace CudaSplineRegister
{

/** \brief Drops what libraries print on stdout, while it lives: the optimizer behind lbfgs says so where a line search
 * finds nothing lower, with which it usually ends. The program's own lines go through it. */
class QuietOutput
{
public:
  QuietOutput();
  QuietOutput(const QuietOutput &) = delete;
  QuietOutput &
  operator=(const QuietOutput &) = delete;
  ~QuietOutput();

  /** \brief Prints a line at once. */
  void
  Print(const std::string & line) const;

private:
  int m_Output;
};

} // namespace CudaSplineRegister

#endif

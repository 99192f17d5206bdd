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
#ifndef itkCudaSplinePrecision_h
#define itkCudaSplinePrecision_h

#include <ostream>

namespace itk
{

/** \brief Floating-point precision of CudaResampleImageFilter and of the module's metrics.
 *
 * \ingroup CudaSpline */
enum class CudaSplinePrecision : unsigned char
{
  Automatic, ///< double where an input or output pixel is double or an integer of 32 or 64 bits, else float
  Single,    ///< float; coordinates are double in any case, and so are the sums of metrics
  Double     ///< double
};

/** \brief Prints the name of a precision. */
inline std::ostream &
operator<<(std::ostream & stream, CudaSplinePrecision precision)
{
  return stream << (precision == CudaSplinePrecision::Automatic
                      ? "Automatic"
                      : (precision == CudaSplinePrecision::Single ? "Single" : "Double"));
}

} // namespace itk

#endif

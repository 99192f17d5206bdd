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
#ifndef itkCudaSplineTrace_h
#define itkCudaSplineTrace_h

#include "CudaSplineExport.h"
#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/evaluation/Interpolation.h"

#include <chrono>
#include <functional>
#include <string>

namespace itk
{

class CudaSplineBackend;

/** \class CudaSplineTrace
 * \brief Writes a line to the standard error for each operation, if the environment variable CUDASPLINE_TRACE is 1.
 *
 * Seven fields, with " | " between them:
 * -# the word CudaSpline;
 * -# the class;
 * -# pixel types and sizes;
 * -# the method;
 * -# the backend: Cuda, Cpu, Superclass, or "failed" after an exception;
 * -# the time in ms: of the whole operation, including the first use of a device;
 * -# the reason of a fallback, or nothing.
 *
 * \code{.unparsed}
 * CudaSpline | CudaResampleImageFilter | int16 64x64x30 -> int16 80x80x40 | BSpline 3, float32, linear | Cpu | 4.183 ms
 * | the device cpu was asked for
 * \endcode (in one line). Lines of several threads are never mixed. Single evaluations of an interpolator are not
 * operations. If tracing is off, its cost is one lookup of the environment variable.
 *
 * \ingroup CudaSpline */
class CudaSpline_EXPORT CudaSplineTrace
{
public:
  /** Fields class, pixel types and sizes, and method, with " | " between them; called only where the trace is on. */
  using Describe = std::function<std::string()>;

  /** True where CUDASPLINE_TRACE is set, and is neither empty, nor 0, nor the word "classes" alone. */
  static bool
  IsOn();

  /** True where CUDASPLINE_TRACE has the word "classes" ("classes", "1,classes"): at its end a process then lists what
   * it asked the object factories for and did not get (CudaSplineFactoryBase). */
  static bool
  ListsClasses();

  /** Begins an operation.
   *
   * \param[in] describe its description, called when the line is written; kept by reference; empty where nothing is
   * known */
  explicit CudaSplineTrace(const Describe & describe);
  CudaSplineTrace(const CudaSplineTrace &) = delete;
  CudaSplineTrace &
  operator=(const CudaSplineTrace &) = delete;

  /** Writes the line of an operation that failed, where none was written. */
  ~CudaSplineTrace();

  /** Ends the operation, and writes its line.
   *
   * \param[in] backend who ran, and why not an earlier one */
  void
  Finish(const CudaSplineBackend & backend);

private:
  void
  Write(const std::string & backend, const std::string & reason) const;

  const Describe &                      m_Describe;
  bool                                  m_IsOpen;
  std::chrono::steady_clock::time_point m_Start;
};

namespace CudaSplineDetail
{

/** \brief Formats sizes for the trace: "64x64x30".
 *
 * \param[in] size sizes by axis
 * \param[in] dimension how many there are */
template <typename TSize>
std::string
TraceSize(const TSize & size, unsigned int dimension)
{
  std::string text;
  for (unsigned int d = 0; d < dimension; ++d)
  {
    text += (d == 0 ? "" : "x") + std::to_string(size[d]);
  }
  return text;
}

/** \brief Pixel type and sizes of a source: "int16 64x64x30", "3 x float32 64x64x30" for several numbers per pixel.
 *
 * \param[in] source the source */
CudaSpline_EXPORT std::string
                  TraceSource(const CudaSpline::SourceDescriptor & source);

/** \brief Formats the interpolation: "BSpline 3, Exact prefilter, float32".
 *
 * \param[in] interpolation the interpolation
 * \param[in] source what it reads */
CudaSpline_EXPORT std::string
TraceMethod(const CudaSpline::InterpolationDescriptor & interpolation, const CudaSpline::SourceDescriptor & source);

} // namespace CudaSplineDetail
} // namespace itk

#endif

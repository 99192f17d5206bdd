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
#include "itkCudaSplineTrace.h"
#include "itkCudaSplineBackend.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace itk
{

bool
CudaSplineTrace::IsOn()
{
  const char * const value = std::getenv("CUDASPLINE_TRACE");
  return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0 && std::strcmp(value, "classes") != 0;
}

bool
CudaSplineTrace::ListsClasses()
{
  const char * const value = std::getenv("CUDASPLINE_TRACE");
  return value != nullptr && std::strstr(value, "classes") != nullptr;
}

CudaSplineTrace::CudaSplineTrace(const Describe & describe)
  : m_Describe(describe)
  , m_IsOpen(IsOn())
{
  if (m_IsOpen)
  {
    m_Start = std::chrono::steady_clock::now();
  }
}

CudaSplineTrace::~CudaSplineTrace()
{
  if (m_IsOpen)
  {
    try
    {
      this->Write("failed", "");
    }
    catch (...)
    {
      // The original exception is more important than a failure to write the line.
    }
  }
}

void
CudaSplineTrace::Finish(const CudaSplineBackend & backend)
{
  if (m_IsOpen)
  {
    m_IsOpen = false;
    this->Write(CudaSpline::NameOf(backend.GetLastBackend()), backend.GetReason());
  }
}

void
CudaSplineTrace::Write(const std::string & backend, const std::string & reason) const
{
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - m_Start;
  char                                            milliseconds[32];
  std::snprintf(milliseconds, sizeof(milliseconds), "%.3f ms", time.count());
  std::string line = "CudaSpline | " + (m_Describe ? m_Describe() : std::string("unknown | | ")) + " | " + backend +
                     " | " + milliseconds + " | " + reason;
  for (char & letter : line)
  {
    letter = letter == '\n' ? ' ' : letter; // the line is one line, even if the reason has several
  }
  line += '\n';
  // One call, which locks the stream, and one write to the file, because the stream is unbuffered.
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

namespace CudaSplineDetail
{

std::string
TraceSource(const CudaSpline::SourceDescriptor & source)
{
  return (source.components > 1 ? std::to_string(source.components) + " x " : std::string()) + NameOf(source.pixel) +
         " " + TraceSize(source.size, source.dimension);
}

std::string
TraceMethod(const CudaSpline::InterpolationDescriptor & interpolation, const CudaSpline::SourceDescriptor & source)
{
  std::string text = NameOf(interpolation.interpolation);
  if (CudaSpline::HasCoefficients(interpolation.interpolation))
  {
    text += " " + std::to_string(source.order) + ", " + CudaSpline::NameOf(source.method.kind) + " prefilter";
  }
  if (interpolation.interpolation == CudaSpline::Interpolation::CubicConvolution)
  {
    std::ostringstream parameters;
    parameters << " (" << interpolation.cubic.b << ", " << interpolation.cubic.c << ')';
    text += parameters.str();
  }
  if (interpolation.mode != CudaSpline::EvaluationMode::Exact)
  {
    text += ", " + std::string(NameOf(interpolation.mode));
  }
  if (source.storage != CudaSpline::CoefficientStorage::Element)
  {
    text += ", " + std::string(NameOf(source.storage));
  }
  return text + ", " + NameOf(source.element);
}

} // namespace CudaSplineDetail
} // namespace itk

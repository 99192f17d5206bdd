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
#ifndef itkCudaBSplineDecompositionImageFilter_hxx
#define itkCudaBSplineDecompositionImageFilter_hxx

#include "itkCudaBSplineDecompositionImageFilter.h"
#include "itkCudaSpline/itk/ImageAccess.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/math/FirFilter.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
void
CudaBSplineDecompositionImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  // ITK's class keeps the sizes of its last update to itself, and has none where it did not compute.
  std::ostringstream text;
  Superclass::PrintSelf(text, indent);
  std::string printed = text.str();
  for (const char * const name : { "Data Length: ", "DataLength: " })
  {
    const auto found = printed.find(name);
    if (found != std::string::npos)
    {
      const auto         begin = found + std::string(name).size();
      std::ostringstream sizes;
      sizes << m_LastSize;
      printed.replace(begin, printed.find('\n', begin) - begin, sizes.str());
    }
  }
  os << printed;
  os << indent << "Prefilter: " << CudaSpline::NameOf(m_Prefilter) << std::endl;
  os << indent << "NumberOfTaps: " << m_NumberOfTaps << std::endl;
  os << indent << "FirTolerance: " << m_Tolerance << std::endl;
  os << indent << "Extension:";
  for (const ExtensionEnum extension : m_Extension)
  {
    os << ' ' << CudaSpline::NameOf(extension);
  }
  os << std::endl;
  m_Backend.Print(os, indent);
}

template <typename TInputImage, typename TOutputImage>
unsigned int
CudaBSplineDecompositionImageFilter<TInputImage, TOutputImage>::GetEffectiveNumberOfTaps() const
{
  try
  {
    if (m_Tolerance != 0.0)
    {
      return static_cast<unsigned int>(
        CudaSpline::FirTapCountOf(static_cast<unsigned int>(this->GetSplineOrder()), m_Tolerance));
    }
    CudaSpline::CheckHalfTapCount(m_NumberOfTaps);
  }
  catch (const std::invalid_argument & error)
  {
    itkExceptionMacro(<< error.what());
  }
  return m_NumberOfTaps;
}

template <typename TInputImage, typename TOutputImage>
void
CudaBSplineDecompositionImageFilter<TInputImage, TOutputImage>::SetExtension(unsigned int axis, ExtensionEnum extension)
{
  if (axis >= ImageDimension)
  {
    itkExceptionMacro(<< "Axis " << axis << " does not exist; the image has " << ImageDimension
                      << " axes, numbered from 0.");
  }
  if (m_Extension[axis] != extension)
  {
    m_Extension[axis] = extension;
    this->Modified();
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaBSplineDecompositionImageFilter<TInputImage, TOutputImage>::SetExtension(ExtensionEnum extension)
{
  for (unsigned int axis = 0; axis < ImageDimension; ++axis)
  {
    this->SetExtension(axis, extension);
  }
}

template <typename TInputImage, typename TOutputImage>
auto
CudaBSplineDecompositionImageFilter<TInputImage, TOutputImage>::GetExtension(unsigned int axis) const -> ExtensionEnum
{
  if (axis >= ImageDimension)
  {
    itkExceptionMacro(<< "Axis " << axis << " does not exist; the image has " << ImageDimension
                      << " axes, numbered from 0.");
  }
  return m_Extension[axis];
}

template <typename TInputImage, typename TOutputImage>
void
CudaBSplineDecompositionImageFilter<TInputImage, TOutputImage>::VerifyPreconditions() const
{
  Superclass::VerifyPreconditions();
  if (m_Prefilter == PrefilterEnum::Fir)
  {
    this->GetEffectiveNumberOfTaps();
  }
  const bool isLikeItk = m_Prefilter != PrefilterEnum::Fir &&
                         std::all_of(m_Extension.begin(), m_Extension.end(), [](ExtensionEnum extension) {
                           return extension == ExtensionEnum::Mirror;
                         });
  if (!IsAccelerated && !isLikeItk)
  {
    itkExceptionMacro(<< "Images of this type are decomposed by the code of ITK, which does not support the Fir "
                         "prefilter and extensions other than Mirror.");
  }
}

template <typename TInputImage, typename TOutputImage>
void
CudaBSplineDecompositionImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  m_LastSize = this->GetInput()->GetBufferedRegion().GetSize();
  if constexpr (!IsAccelerated)
  {
    m_Backend.RunSuperclass(
      "only images of 1 to 4 dimensions, whose pixels are numbers, with float or double coefficients are accelerated",
      [this] {
        return std::string(this->GetNameOfClass()) + " | " +
               CudaSplineDetail::TraceSize(this->GetInput()->GetBufferedRegion().GetSize(), ImageDimension) +
               " | order " + std::to_string(this->GetSplineOrder());
      },
      [this] { Superclass::GenerateData(); },
      this);
  }
  else
  {
    const TInputImage * const input = this->GetInput();
    TOutputImage * const      output = this->GetOutput();
    CudaSplineDetail::CheckNotEmpty(this, input);
    CudaSplineDetail::CheckWhole(this, input);

    output->SetBufferedRegion(output->GetRequestedRegion());
    output->Allocate();

    CudaSpline::SourceDescriptor descriptor = CudaSplineDetail::DescribeSource(input);
    descriptor.element = CudaSpline::ScalarTypeOf<OutputComponentType>();
    descriptor.order = static_cast<unsigned int>(this->GetSplineOrder());
    descriptor.method.kind = m_Prefilter;
    if (m_Prefilter == PrefilterEnum::Fir)
    {
      descriptor.method.taps = static_cast<int>(this->GetEffectiveNumberOfTaps());
    }
    std::copy(m_Extension.begin(), m_Extension.end(), descriptor.extension.begin());

    CudaSplineBackend::Operation operation;
    operation.work = [&descriptor](int) {
      const CudaSpline::OperationWork work = CudaSpline::CountPrefilterWork(descriptor);
      return CudaSpline::BackendWork{ work, work };
    };
    operation.memory = [&descriptor](int device) {
      return CudaSpline::PlanPrefilter(descriptor, CudaSpline::AvailableDeviceMemory(device));
    };
    operation.run = [&](const CudaSpline::ExecutionContext & context) {
      const CudaSplineDetail::PixelsToRead pixels(input, context);
      CudaSplineDetail::PixelsToWrite      coefficients(output, context);
      CudaSpline::Prefilter(descriptor, pixels.Data(), coefficients.Data(), context);
      coefficients.Finish();
    };
    operation.describe = [this, &descriptor] {
      return std::string(this->GetNameOfClass()) + " | " + CudaSplineDetail::TraceSource(descriptor) + " -> " +
             NameOf(descriptor.element) + " | order " + std::to_string(descriptor.order) + ", " +
             CudaSpline::NameOf(descriptor.method.kind);
    };
    m_Backend.Run(operation, this->GetMultiThreader(), this);
  }
}

} // namespace itk

#endif

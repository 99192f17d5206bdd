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
#ifndef CudaSplineTest_InversionRecorder_h
#define CudaSplineTest_InversionRecorder_h

#include "itkCudaSpline/itk/Compatibility.h"

#include "itkInvertDisplacementFieldImageFilter.h"
#include "itkObjectFactoryBase.h"
#include "itkVersion.h"

#include <array>
#include <typeinfo>
#include <utility>
#include <vector>

/** \file
 * \brief Records the iterations of ITK's inversions inside classes that do not report them. */

namespace CudaSplineTest
{

/** The mean norm of the errors and the largest (samples), of each iteration of an inversion. */
using InversionNorms = std::vector<std::array<double, 2>>;

/** ITK's inversion, which records its norms. */
template <typename TField>
class RecordedInverter : public itk::InvertDisplacementFieldImageFilter<TField>
{
public:
  using Self = RecordedInverter;
  using Superclass = itk::InvertDisplacementFieldImageFilter<TField>;
  using Pointer = itk::SmartPointer<Self>;
  using typename Superclass::RegionType;
  itkCudaSplineFactorylessNewMacro(Self);

  /** Inversions since the last call of Take(). */
  static std::vector<InversionNorms> &
  Records()
  {
    static std::vector<InversionNorms> records;
    return records;
  }

protected:
  void
  GenerateData() override
  {
    Records().emplace_back();
    m_Walks = 0;
    Superclass::GenerateData();
  }
  /** An iteration has two passes: one adds norms, which the next one uses. */
  void
  DynamicThreadedGenerateData(const RegionType & region) override
  {
    if (region.GetIndex() == this->GetOutput()->GetRequestedRegion().GetIndex() && m_Walks++ % 2 == 1)
    {
      Records().back().push_back(
        { static_cast<double>(this->GetMeanErrorNorm()), static_cast<double>(this->GetMaxErrorNorm()) });
    }
    Superclass::DynamicThreadedGenerateData(region);
  }

private:
  unsigned int m_Walks{ 0 };
};

/** \brief During its lifetime, ITK's inversions of a type of fields are recorded, for one thread at a time. */
template <typename TField>
class InversionRecorder
{
public:
  InversionRecorder()
    : m_Factory(Factory::New())
  {
    itk::ObjectFactoryBase::RegisterFactory(m_Factory);
    this->Take();
  }
  InversionRecorder(const InversionRecorder &) = delete;
  InversionRecorder &
  operator=(const InversionRecorder &) = delete;
  ~InversionRecorder() { itk::ObjectFactoryBase::UnRegisterFactory(m_Factory); }

  /** Returns the inversions since the last call. */
  std::vector<InversionNorms>
  Take()
  {
    return std::exchange(RecordedInverter<TField>::Records(), {});
  }

private:
  class Factory : public itk::ObjectFactoryBase
  {
  public:
    using Self = Factory;
    using Pointer = itk::SmartPointer<Self>;
    itkFactorylessNewMacro(Self);
    const char *
    GetITKSourceVersion() const override
    {
      return ITK_SOURCE_VERSION;
    }
    const char *
    GetDescription() const override
    {
      return "Recorded inversions";
    }

  protected:
    Factory()
    {
      this->RegisterOverride(typeid(itk::InvertDisplacementFieldImageFilter<TField>).name(),
                             typeid(RecordedInverter<TField>).name(),
                             "recorded",
                             true,
                             itk::CreateObjectFunction<RecordedInverter<TField>>::New());
    }
  };

  const typename Factory::Pointer m_Factory;
};

} // namespace CudaSplineTest

#endif

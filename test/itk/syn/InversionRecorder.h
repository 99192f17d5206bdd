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
 * \brief What the iterations of ITK's inversions came to, inside of classes that do not say. */

namespace CudaSplineTest
{

/** The mean norm of the errors and the largest (samples), of each iteration of an inversion. */
using InversionNorms = std::vector<std::array<double, 2>>;

/** ITK's inversion, which writes down its norms. */
template <typename TField>
class RecordedInverter : public itk::InvertDisplacementFieldImageFilter<TField>
{
public:
  using Self = RecordedInverter;
  using Superclass = itk::InvertDisplacementFieldImageFilter<TField>;
  using Pointer = itk::SmartPointer<Self>;
  using typename Superclass::RegionType;
  itkCudaSplineFactorylessNewMacro(Self);

  /** Of the inversions since they were taken. */
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
  /** An iteration has two walks: one adds up norms, which the next one knows. */
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

/** \brief While it lives, ITK's inversions of a type of fields are recorded; of one thread at a time. */
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

  /** The inversions since it was asked last. */
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

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
#ifndef RandomWave_h
#define RandomWave_h

#include "itkCudaSpline/itk/Compatibility.h"

#include "itkAffineTransform.h"

#include <cmath>

namespace CudaSplineTest
{

/** A transform class of a user, with the category UnknownTransformCategory. */
template <typename T, unsigned int VDimension>
class RandomWave : public itk::AffineTransform<T, VDimension>
{
public:
  using Self = RandomWave;
  using Superclass = itk::AffineTransform<T, VDimension>;
  using Pointer = itk::SmartPointer<Self>;
  itkCudaSplineNewMacro(Self);

  typename Superclass::TransformCategoryEnum
  GetTransformCategory() const override
  {
    return Superclass::TransformCategoryEnum::UnknownTransformCategory;
  }
  typename Superclass::OutputPointType
  TransformPoint(const typename Superclass::InputPointType & point) const override
  {
    auto result = point;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      result[d] += static_cast<T>(m_Amplitude * std::sin(m_Frequency * point[(d + 1) % VDimension]));
    }
    return result;
  }

  double m_Amplitude{ 1.0 };
  double m_Frequency{ 0.2 };
};

} // namespace CudaSplineTest

#endif

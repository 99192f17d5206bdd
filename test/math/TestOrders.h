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
#ifndef CudaSplineTest_TestOrders_h
#define CudaSplineTest_TestOrders_h

#include "itkCudaSpline/math/Extension.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <vector>

namespace CudaSplineTest
{

/** \brief Calls \p body with std::integral_constant<unsigned int, order> for the orders VFirst to VLast. */
template <unsigned int VFirst, unsigned int VLast, typename TBody>
void
ForOrders(const TBody & body)
{
  {
    SCOPED_TRACE("order " + std::to_string(VFirst));
    body(std::integral_constant<unsigned int, VFirst>());
  }
  if constexpr (VFirst < VLast)
  {
    ForOrders<VFirst + 1, VLast>(body);
  }
}

/** \brief Half the distance of 1 to the next number: the unit of rounding. */
template <typename T>
inline constexpr double UnitOfRounding = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;

/** \brief All extensions. */
inline const std::vector<itk::CudaSpline::Extension> &
AllExtensions()
{
  using itk::CudaSpline::Extension;
  static const std::vector<Extension> all{ Extension::Mirror, Extension::Reflect, Extension::GridWrap };
  return all;
}

} // namespace CudaSplineTest

#endif

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
#ifndef itkCudaSplineOverrides_h
#define itkCudaSplineOverrides_h

#include "itkCreateObjectFunction.h"

#include <string>
#include <typeinfo>
#include <vector>

/** \file
 * \brief The classes of itk::CudaSplineFactory. Each list is in a separate source, which instantiates its classes: no
 * source takes long to compile. */

namespace itk::CudaSplineDetail
{

/** A class of ITK with its template arguments, and the class that replaces it. */
struct Override
{
  const char *                      name;       ///< ITK's class without template arguments
  std::string                       overridden; ///< its typeid name, with which ITK requests it
  std::string                       with;       ///< typeid name of the module's class
  CreateObjectFunctionBase::Pointer create;     ///< creates an object of the module's class
};

/** List of overrides. */
using Overrides = std::vector<Override>;

/** Appends an override. */
template <typename TItk, typename TOurs>
void
AppendOverride(const char * name, Overrides & overrides)
{
  static_assert(std::is_base_of<TItk, TOurs>::value, "An overriding class is what the caller asks for.");
  // TOurs::New() requests TOurs from the factories. None of them overrides it: there is no recursion.
  overrides.push_back(
    { name, typeid(TItk).name(), typeid(TOurs).name(), CreateObjectFunction<TOurs>::New().GetPointer() });
}

// One function per source.
void
AppendResampleSmall2D(Overrides & overrides);
void
AppendResampleLarge2D(Overrides & overrides);
void
AppendResampleSmall3D(Overrides & overrides);
void
AppendResampleLarge3D(Overrides & overrides);
void
AppendResampleVector3D(Overrides & overrides);
void
AppendResampleSingle(Overrides & overrides);
void
AppendWarpSmall3D(Overrides & overrides);
void
AppendWarpLarge3D(Overrides & overrides);
void
AppendDecomposition(Overrides & overrides);
void
AppendGaussian(Overrides & overrides);
void
AppendFields(Overrides & overrides);

} // namespace itk::CudaSplineDetail

#endif

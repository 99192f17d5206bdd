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
#ifndef ForeignItk_h
#define ForeignItk_h

#if defined(FOREIGN_ITK_SHARED)
#  define FOREIGN_ITK_EXPORT __attribute__((visibility("default")))
#else
#  define FOREIGN_ITK_EXPORT
#endif

/** \file
 * \brief A stand-in for another ITK: how it loads libraries of factories, in the steps of ITK's 4.13 to 6.0.
 *
 * Not in ITK's namespace, as it is also linked into a program that shares the real ITK. */
namespace ForeignItk
{

/** As ObjectFactoryBase::LoadDynamicFactories(): each library of the folders in ITK_AUTOLOAD_PATH.
 *
 * \return how many objects were taken for factories */
FOREIGN_ITK_EXPORT int
LoadDynamicFactories();

} // namespace ForeignItk

#endif

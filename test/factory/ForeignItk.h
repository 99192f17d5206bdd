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
 * \brief A replacement for another ITK: it loads libraries of factories with the same steps as ITK 4.13 to 6.0.
 *
 * It is not in ITK's namespace, because it is also linked to a program that uses the real shared ITK. */
namespace ForeignItk
{

/** As in ObjectFactoryBase::LoadDynamicFactories(): loads each library in the folders of ITK_AUTOLOAD_PATH.
 *
 * \return number of objects that were treated as factories */
FOREIGN_ITK_EXPORT int
LoadDynamicFactories();

} // namespace ForeignItk

#endif

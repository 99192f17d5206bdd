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
#ifndef VectorClones_h
#define VectorClones_h

/** \file
 * \brief Functions that are also compiled for vectors of 256 bits.
 *
 * Decorate a host function with CUDASPLINE_VECTOR_CLONES: when the library is loaded, the linker selects the version
 * for the processor. Functions that it calls must be inlined. Both versions have the same results: products and sums
 * are rounded separately. */
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) &&   \
  !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#  define CUDASPLINE_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#  define CUDASPLINE_VECTOR_CLONES
#endif

#endif

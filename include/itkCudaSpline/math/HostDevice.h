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
#ifndef itkCudaSpline_math_HostDevice_h
#define itkCudaSpline_math_HostDevice_h

/** \file
 * \ingroup CudaSplineMath
 * \brief The function decorators of the math layer.
 *
 * Every function of this layer is compiled for the host, and by nvcc also for the device. */

/** \def CUDASPLINE_HOST_DEVICE
 * \brief Decorates a function that is compiled for host and device. */
/** \def CUDASPLINE_INLINE
 * \brief Inlines a function of an inner loop, regardless of its length. */
/** \def CUDASPLINE_DEVICE_INLINE
 * \brief Inlines a function into the kernels of a device. The host calls it, where it would be compiled many times. */
/** \def CUDASPLINE_NOINLINE
 * \brief Prevents inlining of a long function that many kernels share: it is compiled once, and called. */
#if defined(__CUDACC__)
#  define CUDASPLINE_NOINLINE __noinline__
#  define CUDASPLINE_HOST_DEVICE __host__ __device__
#  define CUDASPLINE_INLINE __forceinline__
#  define CUDASPLINE_DEVICE_INLINE __forceinline__
#elif defined(__GNUC__)
#  define CUDASPLINE_NOINLINE __attribute__((noinline))
#  define CUDASPLINE_HOST_DEVICE
#  define CUDASPLINE_INLINE inline __attribute__((always_inline))
#  define CUDASPLINE_DEVICE_INLINE __attribute__((noinline))
#else
#  define CUDASPLINE_NOINLINE
#  define CUDASPLINE_HOST_DEVICE
#  define CUDASPLINE_INLINE inline
#  define CUDASPLINE_DEVICE_INLINE
#endif

#endif

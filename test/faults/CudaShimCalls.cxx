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
// The CUDA calls of the module, each replacing that of the runtime (the linker's --wrap). They count, fail where
// requested, and call the runtime or, without a GPU, a simulation.

#include "CudaShimState.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace CudaSplineTest;

namespace
{

template <typename TReal, typename TFake>
cudaError_t
Call(const char * name, Kind kind, const TReal & real, const TFake & fake)
{
  const CallTimer timer(name);
  if (const cudaError_t error = Enter(name, kind))
  {
    return error;
  }
  if (ShimIsReal())
  {
    return real();
  }
  fake();
  return cudaSuccess;
}

template <typename TThing, typename TReal, typename TFake>
cudaError_t
Allocate(const char * name, TThing * thing, const TReal & real, const TFake & fake)
{
  const cudaError_t error = Call(name, Kind::Allocation, real, fake);
  if (error == cudaSuccess)
  {
    Keep(name, (std::uintptr_t)*thing);
  }
  return error;
}

/** Always executed. It may report a failure, which the caller cannot handle. */
template <typename TThing, typename TReal, typename TFake>
cudaError_t
Release(const char * name, const char * allocation, TThing thing, const TReal & real, const TFake & fake)
{
  const CallTimer timer(name);
  Drop(allocation, (std::uintptr_t)thing);
  if (ShimIsReal())
  {
    static_cast<void>(real());
  }
  else
  {
    fake();
  }
  return Enter(name, Kind::Release);
}

/** cudaKernel_t, which the first releases of CUDA 12 do not have. */
using Kernel = struct CUkern_st *;

} // namespace

// Arguments: name; parameters and arguments in parentheses; the code of the simulation.
#define CUDASPLINE_CALL(name, parameters, arguments, ...)                                                              \
  extern "C" cudaError_t __real_##name parameters;                                                                     \
  extern "C" cudaError_t __wrap_##name parameters                                                                      \
  {                                                                                                                    \
    return Call(                                                                                                       \
      #name, Kind::Other, [&] { return __real_##name arguments; }, [&] { __VA_ARGS__; });                              \
  }                                                                                                                    \
  static_assert(true, "a semicolon follows the macro")

// Uses the name in the runtime's header: before CUDA 13 some names are macros for those of a later version.
#define CUDASPLINE_CALL_AS_DECLARED(name, ...) CUDASPLINE_CALL(name, __VA_ARGS__)

// The first argument receives the new object.
#define CUDASPLINE_ALLOCATION(name, thing, parameters, arguments, ...)                                                 \
  extern "C" cudaError_t __real_##name parameters;                                                                     \
  extern "C" cudaError_t __wrap_##name parameters                                                                      \
  {                                                                                                                    \
    return Allocate(                                                                                                   \
      #name, thing, [&] { return __real_##name arguments; }, [&] { __VA_ARGS__; });                                    \
  }                                                                                                                    \
  static_assert(true, "a semicolon follows the macro")

#define CUDASPLINE_RELEASE(name, allocation, thing, parameters, arguments, ...)                                        \
  extern "C" cudaError_t __real_##name parameters;                                                                     \
  extern "C" cudaError_t __wrap_##name parameters                                                                      \
  {                                                                                                                    \
    return Release(                                                                                                    \
      #name, #allocation, thing, [&] { return __real_##name arguments; }, [&] { __VA_ARGS__; });                       \
  }                                                                                                                    \
  static_assert(true, "a semicolon follows the macro")

CUDASPLINE_CALL(cudaGetDeviceCount, (int * count), (count), *count = 1);
CUDASPLINE_CALL_AS_DECLARED(cudaGetDeviceProperties,
                            (cudaDeviceProp * properties, int device),
                            (properties, device),
                            *properties = cudaDeviceProp{};
                            properties->major = 9;
                            properties->multiProcessorCount = 2;
                            properties->totalGlobalMem = std::size_t{ 1 } << 30);
CUDASPLINE_CALL(cudaDeviceGetAttribute,
                (int * value, cudaDeviceAttr attribute, int device),
                (value, attribute, device),
                *value = attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin ? 232448 : 1024);
CUDASPLINE_CALL(cudaGetDevice, (int * device), (device), *device = std::max(CurrentDevice(), 0));
CUDASPLINE_CALL(cudaInitDevice,
                (int device, unsigned int deviceFlags, unsigned int flags),
                (device, deviceFlags, flags),
                static_cast<void>(0));
// The pool of a device exists until the end of the process, so it is not recorded.
CUDASPLINE_CALL(cudaMemPoolCreate,
                (cudaMemPool_t * pool, const cudaMemPoolProps * properties),
                (pool, properties),
                *pool = reinterpret_cast<cudaMemPool_t>(NewHandle()));
CUDASPLINE_CALL(cudaMemPoolSetAttribute,
                (cudaMemPool_t pool, cudaMemPoolAttr attribute, void * value),
                (pool, attribute, value),
                static_cast<void>(0));
CUDASPLINE_CALL(cudaMemPoolTrimTo, (cudaMemPool_t pool, std::size_t bytes), (pool, bytes), static_cast<void>(0));
CUDASPLINE_CALL(cudaPointerGetAttributes,
                (cudaPointerAttributes * attributes, const void * pointer),
                (attributes, pointer),
                *attributes = cudaPointerAttributes{};
                attributes->type = IsAllocated(pointer) ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered);
CUDASPLINE_CALL(cudaFuncSetAttribute,
                (const void * function, cudaFuncAttribute attribute, int value),
                (function, attribute, value),
                static_cast<void>(0));
CUDASPLINE_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                (int * blocks, const void * function, int threads, std::size_t shared, unsigned int flags),
                (blocks, function, threads, shared, flags),
                *blocks = 2);
CUDASPLINE_CALL(cudaFree, (void * pointer), (pointer), static_cast<void>(0));
extern "C" cudaError_t
__real_cudaMemcpyAsync(void * to, const void * from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
extern "C" cudaError_t
__wrap_cudaMemcpyAsync(void * to, const void * from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
  const cudaError_t error = Call(
    "cudaMemcpyAsync",
    Kind::Other,
    [&] { return __real_cudaMemcpyAsync(to, from, bytes, kind, stream); },
    [&] { std::memcpy(to, from, bytes); });
  if (error == cudaSuccess)
  {
    NoteCopy(kind, bytes);
  }
  return error;
}
CUDASPLINE_CALL(cudaMemcpy3DAsync,
                (const cudaMemcpy3DParms * parameters, cudaStream_t stream),
                (parameters, stream),
                static_cast<void>(0));
CUDASPLINE_CALL(cudaMemsetAsync,
                (void * to, int value, std::size_t bytes, cudaStream_t stream),
                (to, value, bytes, stream),
                std::memset(to, value, bytes));
CUDASPLINE_CALL(cudaStreamSynchronize, (cudaStream_t stream), (stream), static_cast<void>(0));
CUDASPLINE_CALL(cudaStreamIsCapturing,
                (cudaStream_t stream, cudaStreamCaptureStatus * status),
                (stream, status),
                *status = cudaStreamCaptureStatusNone);
CUDASPLINE_CALL(cudaStreamBeginCapture,
                (cudaStream_t stream, cudaStreamCaptureMode mode),
                (stream, mode),
                static_cast<void>(0));
CUDASPLINE_CALL(cudaGraphLaunch, (cudaGraphExec_t graph, cudaStream_t stream), (graph, stream), static_cast<void>(0));
CUDASPLINE_CALL(cudaStreamWaitEvent,
                (cudaStream_t stream, cudaEvent_t event, unsigned int flags),
                (stream, event, flags),
                static_cast<void>(0));
CUDASPLINE_CALL(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream), static_cast<void>(0));
CUDASPLINE_CALL(cudaEventSynchronize, (cudaEvent_t event), (event), static_cast<void>(0));

struct CUctx_st;

// The driver's part, which the module calls only with EnterContext() and LeaveContext(). These two have the names that
// compilers generate. The simulated handle of a context is the number of its device, from 1.
#define CUDASPLINE_ENTER_CONTEXT(prefix) prefix##_ZN3itk10CudaSpline12EnterContextEiPP8CUctx_st
#define CUDASPLINE_LEAVE_CONTEXT(prefix) prefix##_ZN3itk10CudaSpline12LeaveContextEiP8CUctx_st

extern "C" int CUDASPLINE_ENTER_CONTEXT(__real_)(int device, CUctx_st ** previous);
extern "C" int
CUDASPLINE_ENTER_CONTEXT(__wrap_)(int device, CUctx_st ** previous)
{
  const int         before = CurrentDevice();
  const cudaError_t error = Call(
    "EnterContext",
    Kind::Other,
    [&] { return static_cast<cudaError_t>(CUDASPLINE_ENTER_CONTEXT(__real_)(device, previous)); },
    [&] { *previous = reinterpret_cast<CUctx_st *>(static_cast<std::uintptr_t>(before + 1)); });
  if (error == cudaSuccess)
  {
    EnterDevice(device);
  }
  return error;
}

extern "C" void CUDASPLINE_LEAVE_CONTEXT(__real_)(int device, CUctx_st * previous);
extern "C" void
CUDASPLINE_LEAVE_CONTEXT(__wrap_)(int device, CUctx_st * previous)
{
  LeaveDevice(device);
  if (ShimIsReal())
  {
    CUDASPLINE_LEAVE_CONTEXT(__real_)(device, previous);
  }
  else if (reinterpret_cast<std::uintptr_t>(previous) != static_cast<std::uintptr_t>(CurrentDevice() + 1))
  {
    NoteStray("LeaveContext, to another context than the one before,");
  }
}

// Two calls whose results a hindrance sets.
extern "C" cudaError_t
__real_cudaDriverGetVersion(int * version);
extern "C" cudaError_t
__wrap_cudaDriverGetVersion(int * version)
{
  const Hindrance   hindrance = CurrentHindrance();
  const cudaError_t error = Call(
    "cudaDriverGetVersion",
    Kind::Other,
    [&] { return __real_cudaDriverGetVersion(version); },
    [&] { *version = CUDART_VERSION; });
  if (error == cudaSuccess && !hindrance.call.empty())
  {
    *version = hindrance.driver;
  }
  return error;
}
extern "C" cudaError_t
__real_cudaMemGetInfo(std::size_t * available, std::size_t * total);
extern "C" cudaError_t
__wrap_cudaMemGetInfo(std::size_t * available, std::size_t * total)
{
  const Hindrance   hindrance = CurrentHindrance();
  const cudaError_t error = Call(
    "cudaMemGetInfo",
    Kind::Other,
    [&] { return __real_cudaMemGetInfo(available, total); },
    [&] { *available = *total = std::size_t{ 1 } << 30; });
  if (error == cudaSuccess && hindrance.free != 0)
  {
    *available = hindrance.free;
  }
  return error;
}

extern "C" cudaError_t
__real_cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void * value);
extern "C" cudaError_t
__wrap_cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void * value)
{
  const cudaError_t error = Call(
    "cudaMemPoolGetAttribute",
    Kind::Other,
    [&] { return __real_cudaMemPoolGetAttribute(pool, attribute, value); },
    [&] { std::memset(value, 0, sizeof(std::uint64_t)); });
  if (error == cudaSuccess && CurrentHindrance().free != 0)
  {
    std::memset(value, 0, sizeof(std::uint64_t)); // all memory is free
  }
  return error;
}

extern "C" cudaError_t
__real_cudaGraphDestroy(cudaGraph_t graph);
extern "C" cudaError_t
__real_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t * graph);
extern "C" cudaError_t
__wrap_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t * graph)
{
  // Always executed: a stream that continued to record would be unusable. Its recording may be lost.
  const char * const name = "cudaStreamEndCapture";
  cudaError_t        error = Enter(name, Kind::Allocation);
  if (ShimIsReal())
  {
    const cudaError_t ended = __real_cudaStreamEndCapture(stream, graph);
    if (error != cudaSuccess && ended == cudaSuccess)
    {
      static_cast<void>(__real_cudaGraphDestroy(*graph));
    }
    error = error != cudaSuccess ? error : ended;
  }
  else
  {
    *graph = reinterpret_cast<cudaGraph_t>(NewHandle());
  }
  if (error != cudaSuccess)
  {
    *graph = nullptr;
    return error;
  }
  Keep(name, (std::uintptr_t)*graph);
  return cudaSuccess;
}
CUDASPLINE_ALLOCATION(cudaGraphInstantiate,
                      executable,
                      (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
                      (executable, graph, flags),
                      *executable = reinterpret_cast<cudaGraphExec_t>(NewHandle()));
CUDASPLINE_RELEASE(cudaGraphExecDestroy,
                   cudaGraphInstantiate,
                   executable,
                   (cudaGraphExec_t executable),
                   (executable),
                   static_cast<void>(0));
CUDASPLINE_RELEASE(cudaGraphDestroy, cudaStreamEndCapture, graph, (cudaGraph_t graph), (graph), static_cast<void>(0));
extern "C" cudaError_t
__real_cudaMallocFromPoolAsync(void ** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream);
extern "C" cudaError_t
__wrap_cudaMallocFromPoolAsync(void ** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
  const cudaError_t error = Allocate(
    "cudaMallocFromPoolAsync",
    pointer,
    [&] { return __real_cudaMallocFromPoolAsync(pointer, bytes, pool, stream); },
    [&] { *pointer = std::calloc(1, bytes); });
  if (error == cudaSuccess)
  {
    KeepBytes((std::uintptr_t)*pointer, bytes);
  }
  return error;
}
CUDASPLINE_ALLOCATION(cudaHostAlloc,
                      pointer,
                      (void ** pointer, std::size_t bytes, unsigned int flags),
                      (pointer, bytes, flags),
                      *pointer = std::malloc(bytes));
CUDASPLINE_ALLOCATION(
  cudaMalloc3DArray,
  array,
  (cudaArray_t * array, const cudaChannelFormatDesc * format, cudaExtent extent, unsigned int flags),
  (array, format, extent, flags),
  *array = reinterpret_cast<cudaArray_t>(NewHandle()));
CUDASPLINE_ALLOCATION(cudaCreateTextureObject,
                      texture,
                      (cudaTextureObject_t * texture,
                       const cudaResourceDesc *     resource,
                       const cudaTextureDesc *      description,
                       const cudaResourceViewDesc * view),
                      (texture, resource, description, view),
                      *texture = NewHandle());
CUDASPLINE_ALLOCATION(cudaCreateSurfaceObject,
                      surface,
                      (cudaSurfaceObject_t * surface, const cudaResourceDesc * resource),
                      (surface, resource),
                      *surface = NewHandle());
CUDASPLINE_ALLOCATION(cudaStreamCreateWithFlags,
                      stream,
                      (cudaStream_t * stream, unsigned int flags),
                      (stream, flags),
                      *stream = reinterpret_cast<cudaStream_t>(NewHandle()));
CUDASPLINE_ALLOCATION(cudaEventCreateWithFlags,
                      event,
                      (cudaEvent_t * event, unsigned int flags),
                      (event, flags),
                      *event = reinterpret_cast<cudaEvent_t>(NewHandle()));

CUDASPLINE_RELEASE(cudaFreeAsync,
                   cudaMallocFromPoolAsync,
                   pointer,
                   (void * pointer, cudaStream_t stream),
                   (pointer, stream),
                   std::free(pointer));
CUDASPLINE_CALL(cudaHostRegister,
                (void * pointer, std::size_t bytes, unsigned int flags),
                (pointer, bytes, flags),
                static_cast<void>(0));
CUDASPLINE_CALL(cudaHostUnregister, (void * pointer), (pointer), static_cast<void>(0));
CUDASPLINE_RELEASE(cudaFreeHost, cudaHostAlloc, pointer, (void * pointer), (pointer), std::free(pointer));
CUDASPLINE_RELEASE(cudaFreeArray, cudaMalloc3DArray, array, (cudaArray_t array), (array), static_cast<void>(0));
CUDASPLINE_RELEASE(cudaDestroyTextureObject,
                   cudaCreateTextureObject,
                   texture,
                   (cudaTextureObject_t texture),
                   (texture),
                   static_cast<void>(0));
CUDASPLINE_RELEASE(cudaDestroySurfaceObject,
                   cudaCreateSurfaceObject,
                   surface,
                   (cudaSurfaceObject_t surface),
                   (surface),
                   static_cast<void>(0));
CUDASPLINE_RELEASE(cudaStreamDestroy,
                   cudaStreamCreateWithFlags,
                   stream,
                   (cudaStream_t stream),
                   (stream),
                   static_cast<void>(0));
CUDASPLINE_RELEASE(cudaEventDestroy,
                   cudaEventCreateWithFlags,
                   event,
                   (cudaEvent_t event),
                   (event),
                   static_cast<void>(0));

// With this call the module searches the driver.
extern "C" int
__real_access(const char * path, int mode);
extern "C" int
__wrap_access(const char * path, int mode)
{
  const std::string only = OnlyFile();
  return only.empty() ? __real_access(path, mode) : (only == path ? 0 : -1);
}

bool
CudaSplineTest::ShimIsReal()
{
  static const bool isReal = [] {
    const char * const wish = std::getenv("CUDASPLINE_FAULTS");
    int                count = 0;
    return (wish == nullptr || std::strcmp(wish, "fake") != 0) && __real_cudaGetDeviceCount(&count) == cudaSuccess &&
           count > 0;
  }();
  return isReal;
}

extern "C" cudaError_t
__real_cudaGetLastError(void);
extern "C" cudaError_t
__wrap_cudaGetLastError(void)
{
  return TakeError(ShimIsReal() ? __real_cudaGetLastError() : cudaSuccess);
}

/** Launches a kernel between two events if kernels are measured. */
template <typename TLaunch>
static cudaError_t
LaunchTimed(cudaStream_t stream, const TLaunch & launch)
{
  if (!KernelsAreTimed())
  {
    return launch();
  }
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  static_cast<void>(__real_cudaEventCreateWithFlags(&begin, cudaEventDefault));
  static_cast<void>(__real_cudaEventCreateWithFlags(&end, cudaEventDefault));
  static_cast<void>(__real_cudaEventRecord(begin, stream));
  const cudaError_t error = launch();
  static_cast<void>(__real_cudaEventRecord(end, stream));
  KeepKernelTime(begin, end);
  return error;
}

// Launches, whose names differ between versions of CUDA: an error is returned by the next cudaGetLastError().
#define CUDASPLINE_LAUNCH(name, told, parameters, arguments)                                                           \
  extern "C" __attribute__((weak)) cudaError_t __real_##name parameters;                                               \
  extern "C" cudaError_t __wrap_##name parameters                                                                      \
  {                                                                                                                    \
    return Call(                                                                                                       \
      told, Kind::Other, [&] { return LaunchTimed(on, [&] { return __real_##name arguments; }); }, [] {});             \
  }                                                                                                                    \
  static_assert(true, "a semicolon follows the macro")

CUDASPLINE_LAUNCH(__cudaLaunchKernel,
                  "cudaLaunchKernel",
                  (Kernel kernel, dim3 grid, dim3 block, void ** arguments, std::size_t shared, cudaStream_t on),
                  (kernel, grid, block, arguments, shared, on));
CUDASPLINE_LAUNCH(cudaLaunchKernel,
                  "cudaLaunchKernel",
                  (const void * kernel, dim3 grid, dim3 block, void ** arguments, std::size_t shared, cudaStream_t on),
                  (kernel, grid, block, arguments, shared, on));
CUDASPLINE_LAUNCH(cudaLaunchCooperativeKernel,
                  "cudaLaunchCooperativeKernel",
                  (const void * kernel, dim3 grid, dim3 block, void ** arguments, std::size_t shared, cudaStream_t on),
                  (kernel, grid, block, arguments, shared, on));
extern "C" __attribute__((weak)) cudaError_t
__real___cudaGetKernel(Kernel * kernel, const void * function);
extern "C" cudaError_t
__wrap___cudaGetKernel(Kernel * kernel, const void * function)
{
  // A table in the program, which is never freed: it is not one of the calls that fail.
  return ShimIsReal() ? __real___cudaGetKernel(kernel, function) : cudaSuccess;
}

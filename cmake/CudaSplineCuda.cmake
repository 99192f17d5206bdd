# Finds the CUDA Toolkit, enables its language and decides the architectures. Sets CUDASPLINE_HAS_CUDA, and CUDASPLINE_WITHOUT_CUDA_REASON where
# no toolkit was found that can be used. Read at the top of a build: the language has to be known to all who link what was compiled with it.

include(CheckLanguage)
include("${CMAKE_CURRENT_LIST_DIR}/CudaSplineArchitectures.cmake")

# No CUDA: said in one line, or an error where CUDA was asked for.
macro(_cudaspline_without_cuda reason)
  if(CUDASPLINE_USE_CUDA STREQUAL "REQUIRED")
    message(FATAL_ERROR "CUDASPLINE_USE_CUDA is REQUIRED, but ${reason}; the logs in CMakeFiles say more.")
  endif()
  set(CUDASPLINE_WITHOUT_CUDA_REASON "${reason}. ${_cudaspline_advice}")
  message(STATUS "Only the Cpu backend is built: ${CUDASPLINE_WITHOUT_CUDA_REASON}")
endmacro()
set(_cudaspline_advice "For GPUs install the CUDA Toolkit (12.0 or later; packages cuda-nvcc and cuda-cudart-dev).")

set(CUDASPLINE_HAS_CUDA OFF)
if(CUDASPLINE_USE_CUDA)
  # NVIDIA's packages put the toolkit where it is not in the PATH. By the environment and not as CMAKE_CUDA_COMPILER, which
  # check_language() takes for tried.
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(_cudaspline_named "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}")
    list(REMOVE_ITEM _cudaspline_named "")
    # These, then the PATH, then where NVIDIA's packages put it.
    find_program(CUDASPLINE_NVCC nvcc HINTS ${_cudaspline_named} PATH_SUFFIXES bin PATHS /usr/local/cuda/bin)
    mark_as_advanced(CUDASPLINE_NVCC)
    if(CUDASPLINE_NVCC)
      set(ENV{CUDACXX} "${CUDASPLINE_NVCC}")
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER MATCHES "NOTFOUND$")
    unset(CMAKE_CUDA_COMPILER CACHE) # the toolkit may have been installed since
  endif()
  # check_language() tries with what the environment has, not with what the user has set here.
  set(_cudaspline_host_before "$ENV{CUDAHOSTCXX}")
  set(_cudaspline_flags_before "$ENV{CUDAFLAGS}")
  if(CMAKE_CUDA_HOST_COMPILER)
    set(ENV{CUDAHOSTCXX} "${CMAKE_CUDA_HOST_COMPILER}")
  endif()
  if(CMAKE_CUDA_FLAGS)
    set(ENV{CUDAFLAGS} "${CMAKE_CUDA_FLAGS}")
  endif()
  check_language(CUDA)
  set(_cudaspline_host "$ENV{CUDAHOSTCXX}")
  set(ENV{CUDAHOSTCXX} "${_cudaspline_host_before}") # an empty value has no effect
  set(ENV{CUDAFLAGS} "${_cudaspline_flags_before}")
  if(NOT CMAKE_CUDA_COMPILER)
    if(DEFINED ENV{CUDACXX})
      if(NOT _cudaspline_host)
        set(_cudaspline_host "the C++ compiler that it finds")
      endif()
      _cudaspline_without_cuda(
        "$ENV{CUDACXX} does not compile and link a program (an incomplete CUDA Toolkit, or is ${_cudaspline_host} too new for it? CMAKE_CUDA_HOST_COMPILER names another)"
      )
    else()
      _cudaspline_without_cuda("no CUDA compiler was found")
    endif()
  else()
    # What was decided by default is decided anew where it was for this machine, and shall be for others, or the other way round.
    if(
      DEFINED CUDASPLINE_DEFAULT_ARCHITECTURES
      AND "${CUDASPLINE_DEFAULT_ARCHITECTURES}" STREQUAL "${CMAKE_CUDA_ARCHITECTURES}"
      AND NOT "${CUDASPLINE_DEFAULT_ARE_ALL}" STREQUAL "${CUDASPLINE_ALL_ARCHITECTURES}"
    )
      unset(CMAKE_CUDA_ARCHITECTURES CACHE)
    endif()
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
      cudaspline_default_architectures(_cudaspline_architectures "${CMAKE_CUDA_COMPILER}")
      if(_cudaspline_architectures)
        set(CMAKE_CUDA_ARCHITECTURES "${_cudaspline_architectures}" CACHE STRING "CUDA architectures to compile for")
        set(
          CUDASPLINE_DEFAULT_ARCHITECTURES
          "${_cudaspline_architectures}"
          CACHE INTERNAL
          "What was decided by default"
        )
        set(CUDASPLINE_DEFAULT_ARE_ALL "${CUDASPLINE_ALL_ARCHITECTURES}" CACHE INTERNAL "And for whom")
      endif()
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit QUIET)
    if(NOT CUDAToolkit_FOUND OR NOT TARGET CUDA::cudart_static)
      _cudaspline_without_cuda(
        "the CUDA Toolkit of ${CMAKE_CUDA_COMPILER} is incomplete (its runtime library was not found)"
      )
    elseif(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
      _cudaspline_without_cuda("${CMAKE_CUDA_COMPILER} is of version ${CMAKE_CUDA_COMPILER_VERSION}, older than 12.0")
    else()
      set(CUDASPLINE_HAS_CUDA ON)
      message(STATUS "CUDA Toolkit ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
    endif()
  endif()
endif()

# Finds the CUDA Toolkit and decides the architectures. Sets CUDASPLINE_HAS_CUDA.

include(CheckLanguage)

set(CUDASPLINE_HAS_CUDA OFF)
if(CUDASPLINE_USE_CUDA)
  # Debian's path first, then where NVIDIA's packages put the toolkit without adding it to the PATH.
  if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(CUDASPLINE_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin" /usr/local/cuda/bin)
    mark_as_advanced(CUDASPLINE_NVCC)
    if(CUDASPLINE_NVCC)
      set(CMAKE_CUDA_COMPILER "${CUDASPLINE_NVCC}")
    endif()
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    # On a machine with a GPU build for that GPU; elsewhere for what is in use, with PTX for what comes later.
    execute_process(
      COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
      OUTPUT_VARIABLE _capability
      RESULT_VARIABLE _result
      ERROR_QUIET
      OUTPUT_STRIP_TRAILING_WHITESPACE
    )
    if(_result EQUAL 0 AND _capability MATCHES "^([0-9]+)\\.([0-9]+)")
      set(_architectures "${CMAKE_MATCH_1}${CMAKE_MATCH_2}")
    else()
      set(_architectures "75-real;80-real;90")
    endif()
    set(CMAKE_CUDA_ARCHITECTURES "${_architectures}" CACHE STRING "CUDA architectures to compile for")
  endif()
  if(CMAKE_CUDA_COMPILER MATCHES "NOTFOUND$")
    unset(CMAKE_CUDA_COMPILER CACHE) # the toolkit may have been installed since
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(CUDASPLINE_HAS_CUDA ON)
    message(STATUS "CUDA Toolkit ${CUDAToolkit_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
  elseif(CUDASPLINE_USE_CUDA STREQUAL "REQUIRED")
    message(FATAL_ERROR "CUDASPLINE_USE_CUDA is REQUIRED and no CUDA compiler was found; set CMAKE_CUDA_COMPILER.")
  else()
    message(
      STATUS
      "No CUDA Toolkit: only the Cpu backend is built. For GPUs install the toolkit (12.0 or later; packages cuda-nvcc and cuda-cudart-dev)."
    )
  endif()
endif()

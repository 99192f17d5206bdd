# The languages of all targets, and their warnings: what needs no ITK, for python/CMakeLists.txt too.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)

if(NOT TARGET CudaSplineWarnings)
  add_library(CudaSplineWarnings INTERFACE)
  target_compile_options(CudaSplineWarnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow>)
endif()

# The layers below ITK as objects: for the module's library, and for the library with the C interface, with which the Python package is built where
# there is no ITK (python/CMakeLists.txt). Both targets are named where they are linked, because object libraries do not pass on the objects of
# others.

set(
  CUDASPLINE_KERNEL_OPTIMIZATION
  "-O3"
  CACHE STRING
  "How the host's kernels are optimized, whatever the build type's flags say"
)
mark_as_advanced(CUDASPLINE_KERNEL_OPTIMIZATION)

# cudaspline_kernels_settings(<target>)
function(cudaspline_kernels_settings target)
  target_include_directories(${target} PUBLIC "${CudaSpline_SOURCE_DIR}/include" PRIVATE "${CMAKE_CURRENT_LIST_DIR}")
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_link_libraries(${target} PUBLIC Threads::Threads PRIVATE CudaSplineWarnings)
  # Visible whole: the templates of the ITK layer call it from the programs of users. It could not have the macros of the module's export
  # header, which is among ITK's headers inside ITK's tree.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default POSITION_INDEPENDENT_CODE ON)
  # Coordinates agree with ITK's bit for bit: no fused multiply-add that the source does not ask for. Nobody reads errno after rounding,
  # and without it rounding is one instruction.
  target_compile_options(
    ${target}
    PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU,Clang,AppleClang>>:-ffp-contract=off;-fno-math-errno>
  )
  # The sanitizers check each access: -O3 unrolls the loops around their checks, and a file takes minutes to compile.
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(
      ${target}
      PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release,RelWithDebInfo>>:${CUDASPLINE_KERNEL_OPTIMIZATION}>
    )
  endif()
endfunction()

# cudaspline_kernel_sources([HOST <source>...] [DISPATCH <source>...] [CUDA <source>...]): sources of the folder that calls it. Those of
# DISPATCH read CUDASPLINE_HAS_CUDA, those of CUDA are compiled with it only.
function(cudaspline_kernel_sources)
  cmake_parse_arguments(PARSE_ARGV 0 with "" "" "HOST;DISPATCH;CUDA")
  list(TRANSFORM with_HOST PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM with_DISPATCH PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM with_CUDA PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(CudaSplineHostKernels PRIVATE ${with_HOST})
  target_sources(CudaSplineKernels PRIVATE ${with_DISPATCH})
  if(CUDASPLINE_HAS_CUDA)
    target_sources(CudaSplineKernels PRIVATE ${with_CUDA})
  endif()
endfunction()

# Sources that do not depend on CUDA: compiled once if a folder is built both without and with it.
add_library(CudaSplineHostKernels OBJECT)
cudaspline_kernels_settings(CudaSplineHostKernels)

# What reads CUDASPLINE_HAS_CUDA, and the GPU part.
add_library(CudaSplineKernels OBJECT)
cudaspline_kernels_settings(CudaSplineKernels)

# The folders of kernels/ that are needed for what is built here.
set(
  CUDASPLINE_KERNEL_FOLDERS
  backend
  coefficients
  common
  evaluation
  fields
  gaussian
  resampling
  transforms
)
if(CUDASPLINE_BUILD_REGISTRATION OR CUDASPLINE_BUILD_PYTHON) # the interface in C registers, too
  list(APPEND CUDASPLINE_KERNEL_FOLDERS metrics registration)
elseif(BUILD_TESTING) # losses need local correlation
  list(APPEND CUDASPLINE_KERNEL_FOLDERS metrics)
endif()
if(CUDASPLINE_BUILD_PYTHON OR BUILD_TESTING)
  list(APPEND CUDASPLINE_KERNEL_FOLDERS arrays gradients)
endif()
add_subdirectory("${CMAKE_CURRENT_LIST_DIR}/device" device)
foreach(folder IN LISTS CUDASPLINE_KERNEL_FOLDERS)
  add_subdirectory("${CMAKE_CURRENT_LIST_DIR}/kernels/${folder}" kernels/${folder})
endforeach()

if(CUDASPLINE_HAS_CUDA)
  include("${CMAKE_CURRENT_LIST_DIR}/CudaSplineInstances.cmake")
  cudaspline_kernel_instances(kernel_instances)
  target_sources(CudaSplineKernels PRIVATE ${kernel_instances})
  target_compile_definitions(CudaSplineKernels PRIVATE CUDASPLINE_HAS_CUDA)
  target_compile_options(
    CudaSplineKernels
    PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Xcompiler=-Wall,-Wextra>
  )
  # Static, so that a binary starts on a machine without CUDA.
  target_link_libraries(CudaSplineKernels PUBLIC CUDA::cudart_static)
  set_target_properties(CudaSplineKernels PROPERTIES CUDA_RUNTIME_LIBRARY Static)
endif()

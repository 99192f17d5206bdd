# Headers that most files of a target include are parsed once, unless the compiler has a launcher: ccache keeps objects,
# and takes precompiled headers only by settings of its user.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(_cudaspline_precompile OFF)
else()
  set(_cudaspline_precompile ON)
endif()
option(CUDASPLINE_PRECOMPILE_HEADERS "Parse common headers once for each target" ${_cudaspline_precompile})
mark_as_advanced(CUDASPLINE_PRECOMPILE_HEADERS)
unset(_cudaspline_precompile)

# cudaspline_precompile(<target> [ITK] [<header>...]): those of the standard library, ITK's images and transforms, and others; with them
# the header of the instances that it uses (cudaspline_use_instances() before), as GCC takes no precompiled header behind another one.
function(cudaspline_precompile target)
  cmake_parse_arguments(PARSE_ARGV 1 with "ITK" "" "")
  if(NOT CUDASPLINE_PRECOMPILE_HEADERS)
    return()
  endif()
  set(
    headers
    algorithm
    array
    cmath
    cstdint
    functional
    map
    memory
    optional
    string
    vector
  )
  if(with_ITK)
    list(
      APPEND
      headers
      itkAffineTransform.h
      itkBSplineTransform.h
      itkCompositeTransform.h
      itkDisplacementFieldTransform.h
      itkImage.h
      itkImageRegionIteratorWithIndex.h
      itkImageToImageFilter.h
      itkInterpolateImageFunction.h
    )
  endif()
  get_target_property(instances ${target} CUDASPLINE_INSTANCES)
  if(instances)
    set_property(TARGET ${target} PROPERTY CUDASPLINE_PRECOMPILES_INSTANCES ON)
    target_precompile_headers(
      ${target}
      PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${CudaSpline_SOURCE_DIR}/src/instances/${instances}.h>"
    )
  endif()
  foreach(header IN LISTS headers with_UNPARSED_ARGUMENTS)
    target_precompile_headers(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>")
  endforeach()
endfunction()

# A library that Python loads: it shows what starts with cudaspline_, and with GCC brings the runtime of C++, so that it starts wherever
# there is a C library that is new enough.
function(cudaspline_make_loadable target)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    return()
  endif()
  set(symbols "${CudaSpline_SOURCE_DIR}/src/c/CudaSplineC.map")
  target_link_options(${target} PRIVATE "LINKER:--version-script=${symbols}" "LINKER:-Bsymbolic")
  set_target_properties(${target} PROPERTIES LINK_DEPENDS "${symbols}")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
endfunction()

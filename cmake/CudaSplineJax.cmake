# Finds the headers of XLA's foreign functions, which jaxlib brings. Sets CUDASPLINE_XLA_INCLUDE_DIR where libCudaSplineJax is built.

set(
  CUDASPLINE_USE_JAX
  "ON"
  CACHE STRING
  "ON: libCudaSplineJax is built where jaxlib's headers are found; REQUIRED; OFF"
)
set_property(CACHE CUDASPLINE_USE_JAX PROPERTY STRINGS ON OFF REQUIRED)

if(CUDASPLINE_USE_JAX)
  if(NOT CUDASPLINE_XLA_INCLUDE_DIR)
    find_program(CUDASPLINE_PYTHON NAMES "${Python3_EXECUTABLE}" "${Python_EXECUTABLE}" python3)
    mark_as_advanced(CUDASPLINE_PYTHON)
    set(_cudaspline_jaxlib "")
    if(CUDASPLINE_PYTHON)
      # Without importing it: that takes a second, and processors that it knows.
      execute_process(
        COMMAND
          "${CUDASPLINE_PYTHON}" -c
          "import importlib.util; found = importlib.util.find_spec('jaxlib'); print(list(found.submodule_search_locations)[0] if found else '')"
        OUTPUT_VARIABLE _cudaspline_jaxlib
        OUTPUT_STRIP_TRAILING_WHITESPACE
        ERROR_QUIET
      )
    endif()
    find_path(
      CUDASPLINE_XLA_INCLUDE_DIR
      xla/ffi/api/ffi.h
      HINTS "${_cudaspline_jaxlib}/include"
      DOC "Headers of XLA's foreign functions (jax.ffi.include_dir())"
    )
  endif()
  if(NOT EXISTS "${CUDASPLINE_XLA_INCLUDE_DIR}/xla/ffi/api/ffi.h")
    set(
      _cudaspline_without
      "no headers of jaxlib were found (CUDASPLINE_XLA_INCLUDE_DIR names them: jax.ffi.include_dir())"
    )
    if(CUDASPLINE_USE_JAX STREQUAL "REQUIRED")
      message(FATAL_ERROR "CUDASPLINE_USE_JAX is REQUIRED, but ${_cudaspline_without}.")
    endif()
    message(STATUS "cudaspline.jax calls the library by Python: ${_cudaspline_without}.")
  endif()
endif()

# The part of ITK's module system that this project needs, for an installed ITK that does not ship it (Debian's packages).

# itk_module(<name> DEPENDS ... TEST_DEPENDS ...): remembers the module's name and the ITK modules that it and its tests use.
macro(itk_module name)
  cmake_parse_arguments(
    _itk_module
    "ENABLE_SHARED;EXCLUDE_FROM_DEFAULT"
    "DESCRIPTION"
    "DEPENDS;TEST_DEPENDS"
    ${ARGN}
  )
  set(CudaSpline_MODULE_NAME ${name})
  set(CudaSpline_DEPENDS ${_itk_module_DEPENDS})
  set(CudaSpline_TEST_DEPENDS ${_itk_module_TEST_DEPENDS})
endmacro()

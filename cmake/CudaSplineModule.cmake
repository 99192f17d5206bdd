# The part of ITK's module system that this project needs, by ITK's names, for an installed ITK that does not ship it (Debian's packages).
# Where ITK does ship it (a build tree) only itk_module() is used, to know the module's dependencies before ITK is looked for; ITK's
# macros take the place of these when ITKModuleExternal is included.

# itk_module(<name> DEPENDS ... TEST_DEPENDS ...): remembers the module's name and the ITK modules that it and its tests use.
macro(itk_module name)
  cmake_parse_arguments(
    _itk_module
    "ENABLE_SHARED;EXCLUDE_FROM_DEFAULT"
    "DESCRIPTION"
    "DEPENDS;COMPILE_DEPENDS;TEST_DEPENDS"
    ${ARGN}
  )
  set(itk-module ${name})
  set(itk-module-test ${name}-Test)
  set(ITK_MODULE_${name}_PUBLIC_DEPENDS ${_itk_module_DEPENDS})
  set(ITK_MODULE_${name}-Test_DEPENDS ${name} ${_itk_module_TEST_DEPENDS})
endmacro()

# itk_module_add_library(<name> <source>...): the module's library, linked to the modules that it depends on and to no others.
function(itk_module_add_library name)
  add_library(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${CudaSpline_SOVERSION})
  foreach(dependency IN LISTS ITK_MODULE_${itk-module}_PUBLIC_DEPENDS)
    target_link_libraries(${name} PUBLIC ${${dependency}_LIBRARIES})
  endforeach()
endfunction()

# itk_module_impl(): the module's library with its export header, and its headers.
macro(itk_module_impl)
  set(CudaSpline_INSTALL_RUNTIME_DIR "${CMAKE_INSTALL_BINDIR}")
  set(CudaSpline_INSTALL_LIBRARY_DIR "${CMAKE_INSTALL_LIBDIR}")
  set(CudaSpline_INSTALL_ARCHIVE_DIR "${CMAKE_INSTALL_LIBDIR}")
  set(CudaSpline_INSTALL_INCLUDE_DIR "${CMAKE_INSTALL_INCLUDEDIR}/CudaSpline")

  include_directories("${CudaSpline_SOURCE_DIR}/include" "${CudaSpline_BINARY_DIR}/include" ${ITK_INCLUDE_DIRS})
  add_subdirectory(src)
  generate_export_header(
    CudaSpline
    EXPORT_FILE_NAME "${CudaSpline_BINARY_DIR}/include/CudaSplineExport.h"
    EXPORT_MACRO_NAME CudaSpline_EXPORT
    NO_EXPORT_MACRO_NAME CudaSpline_HIDDEN
  )
  set_target_properties(CudaSpline PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  install(
    DIRECTORY "${CudaSpline_BINARY_DIR}/include/"
    DESTINATION "${CudaSpline_INSTALL_INCLUDE_DIR}"
    COMPONENT Development
  )
  install(
    CODE "set(include \"${CudaSpline_SOURCE_DIR}/include\")\nset(destination \"${CudaSpline_INSTALL_INCLUDE_DIR}\")"
    COMPONENT Development
  )
  install(SCRIPT "${CudaSpline_SOURCE_DIR}/cmake/InstallHeaders.cmake" COMPONENT Development)
endmacro()

# cudaspline_module_external(): what ITKModuleExternal does with a build tree, for an installed ITK: the module, then its tests.
macro(cudaspline_module_external)
  option(BUILD_SHARED_LIBS "Build a shared library" ON)
  include(GenerateExportHeader)
  include(GNUInstallDirs)
  include(CTest)

  # ITK's flags.
  string(APPEND CMAKE_C_FLAGS " ${ITK_REQUIRED_C_FLAGS}")
  string(APPEND CMAKE_CXX_FLAGS " ${ITK_REQUIRED_CXX_FLAGS}")
  foreach(_kind EXE SHARED MODULE)
    string(APPEND CMAKE_${_kind}_LINKER_FLAGS " ${ITK_REQUIRED_LINK_FLAGS}")
  endforeach()

  itk_module_impl()
  if(BUILD_TESTING)
    add_subdirectory(test)
  endif()
endmacro()

# What an installation gives besides ITK's own files for a module: find_package(CudaSpline), and programs that find their libraries
# wherever the prefix is put. The folders are those of ITK's module macros, or of cmake/CudaSplineModule.cmake.
include(CMakePackageConfigHelpers)

# What says "the folder of this file" in a run-time search path.
set(_cudaspline_origin "$ORIGIN")
if(APPLE)
  set(_cudaspline_origin "@loader_path")
endif()
# The folders may be absolute ones.
foreach(_cudaspline_kind IN ITEMS RUNTIME LIBRARY)
  get_filename_component(
    _cudaspline_${_cudaspline_kind}
    "${CudaSpline_INSTALL_${_cudaspline_kind}_DIR}"
    ABSOLUTE
    BASE_DIR "${CMAKE_INSTALL_PREFIX}"
  )
endforeach()
file(RELATIVE_PATH _cudaspline_libraries_of_programs "${_cudaspline_RUNTIME}" "${_cudaspline_LIBRARY}")

# cudaspline_install_program(<target>)
function(cudaspline_install_program target)
  set_target_properties(
    ${target}
    PROPERTIES
      INSTALL_RPATH "${_cudaspline_origin}/${_cudaspline_libraries_of_programs}"
      INSTALL_RPATH_USE_LINK_PATH ON # an ITK that is not installed where the system looks
  )
  install(TARGETS ${target} RUNTIME DESTINATION "${CudaSpline_INSTALL_RUNTIME_DIR}" COMPONENT Runtime)
endfunction()

# A set of targets of its own: ITK's has no namespace and, of a module built outside of ITK, cannot be found once installed.
set_target_properties(CudaSpline PROPERTIES INSTALL_RPATH "${_cudaspline_origin}" INSTALL_RPATH_USE_LINK_PATH ON)
install(
  TARGETS CudaSpline
  EXPORT CudaSplinePackage
  RUNTIME DESTINATION "${CudaSpline_INSTALL_RUNTIME_DIR}" COMPONENT RuntimeLibraries
  LIBRARY DESTINATION "${CudaSpline_INSTALL_LIBRARY_DIR}" COMPONENT RuntimeLibraries NAMELINK_COMPONENT Development
  ARCHIVE DESTINATION "${CudaSpline_INSTALL_ARCHIVE_DIR}" COMPONENT Development
)

# The object factories: libraries that programs link as any other, and for each a folder with its loader, which is what
# ITK_AUTOLOAD_PATH names. The loader finds the library in the folder above its own.
foreach(_cudaspline_factories IN ITEMS CudaSplineFactories CudaSplineMetricFactories)
  if(NOT TARGET ${_cudaspline_factories})
    continue()
  endif()
  set_target_properties(
    ${_cudaspline_factories}
    PROPERTIES INSTALL_RPATH "${_cudaspline_origin}" INSTALL_RPATH_USE_LINK_PATH ON
  )
  install(
    TARGETS ${_cudaspline_factories}
    EXPORT CudaSplinePackage
    RUNTIME DESTINATION "${CudaSpline_INSTALL_RUNTIME_DIR}" COMPONENT Factories
    LIBRARY DESTINATION "${CudaSpline_INSTALL_LIBRARY_DIR}" COMPONENT Factories NAMELINK_COMPONENT Development
    ARCHIVE DESTINATION "${CudaSpline_INSTALL_ARCHIVE_DIR}" COMPONENT Development
  )
  if(TARGET ${_cudaspline_factories}Loader)
    install(
      TARGETS ${_cudaspline_factories}Loader
      LIBRARY DESTINATION "${CudaSpline_INSTALL_LIBRARY_DIR}/${_cudaspline_factories}" COMPONENT Factories
    )
  endif()
endforeach()

# The interface in C, for other languages: it needs neither ITK nor the module's library.
if(TARGET CudaSplineC)
  set_target_properties(CudaSplineC PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${CudaSpline_SOVERSION})
  install(
    TARGETS CudaSplineC
    EXPORT CudaSplinePackage
    RUNTIME DESTINATION "${CudaSpline_INSTALL_RUNTIME_DIR}" COMPONENT RuntimeLibraries
    LIBRARY DESTINATION "${CudaSpline_INSTALL_LIBRARY_DIR}" COMPONENT RuntimeLibraries NAMELINK_COMPONENT Development
    ARCHIVE DESTINATION "${CudaSpline_INSTALL_ARCHIVE_DIR}" COMPONENT Development
  )
endif()
set(_cudaspline_package_folder "${CudaSpline_INSTALL_LIBRARY_DIR}/cmake/CudaSpline")
install(
  EXPORT CudaSplinePackage
  NAMESPACE CudaSpline::
  FILE CudaSplineTargets.cmake
  DESTINATION "${_cudaspline_package_folder}"
  COMPONENT Development
)

get_target_property(_cudaspline_type CudaSpline TYPE)
set(CUDASPLINE_IS_STATIC OFF)
if(_cudaspline_type STREQUAL "STATIC_LIBRARY")
  set(CUDASPLINE_IS_STATIC ON)
endif()
configure_package_config_file(
  "${CudaSpline_SOURCE_DIR}/cmake/CudaSplineConfig.cmake.in"
  "${CudaSpline_BINARY_DIR}/CMakeFiles/CudaSplineConfig.cmake"
  INSTALL_DESTINATION "${_cudaspline_package_folder}"
)
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(
  "${CudaSpline_BINARY_DIR}/CMakeFiles/CudaSplineConfigVersion.cmake"
  VERSION ${PROJECT_VERSION}
  COMPATIBILITY SameMinorVersion
)
install(
  FILES
    "${CudaSpline_BINARY_DIR}/CMakeFiles/CudaSplineConfig.cmake"
    "${CudaSpline_BINARY_DIR}/CMakeFiles/CudaSplineConfigVersion.cmake"
  DESTINATION "${_cudaspline_package_folder}"
  COMPONENT Development
)

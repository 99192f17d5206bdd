# cpack: packages for Debian. The library, what programs are compiled with, the object factory and the program are a package each, as
# Debian's policy wants.
# scripts/package configures for them (prefix /usr) and calls cpack.

# Who built them: the author of the commit that they are built from.
find_package(Git QUIET)
if(Git_FOUND AND NOT CPACK_PACKAGE_CONTACT)
  execute_process(
    COMMAND "${GIT_EXECUTABLE}" log -1 "--format=%an <%ae>"
    WORKING_DIRECTORY "${CudaSpline_SOURCE_DIR}"
    OUTPUT_VARIABLE CPACK_PACKAGE_CONTACT
    ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE
  )
endif()
if(NOT CPACK_PACKAGE_CONTACT)
  set(CPACK_PACKAGE_CONTACT "the CudaSpline contributors <root@localhost>")
endif()

set(CPACK_GENERATOR "DEB")
set(CPACK_PACKAGE_NAME "cudaspline")
set(CPACK_PACKAGE_VENDOR "the CudaSpline contributors")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL RuntimeLibraries Development)
if(CUDASPLINE_BUILD_APPLICATIONS)
  list(APPEND CPACK_COMPONENTS_ALL Runtime)
endif()
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL Factories)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)

# With the Debian that they are for: those of two link different versions of ITK.
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
if(EXISTS /etc/os-release)
  file(STRINGS /etc/os-release _cudaspline_system REGEX "^(ID|VERSION_ID)=")
  if("${_cudaspline_system}" MATCHES "(^|;)ID=debian(;|$)" AND "${_cudaspline_system}" MATCHES "VERSION_ID=\"?([0-9]+)")
    string(APPEND CPACK_DEBIAN_PACKAGE_RELEASE "~deb${CMAKE_MATCH_1}")
  endif()
endif()
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Where the program's own libraries are found.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
set(_cudaspline_exactly "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

set(_cudaspline_library "libcudaspline${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}") # as the library's SOVERSION
set(CPACK_DEBIAN_RUNTIMELIBRARIES_PACKAGE_NAME "${_cudaspline_library}")
set(CPACK_DEBIAN_RUNTIMELIBRARIES_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(
  CPACK_COMPONENT_RUNTIMELIBRARIES_DESCRIPTION
  "Spline resampling and registration for ITK on GPUs and all cores (library)
Classes that derive from ITK's interpolators, filters, metrics and registration
methods and give the same results, on a GPU if there is one, otherwise on all
processor cores."
)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME "libcudaspline-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${_cudaspline_library} ${_cudaspline_exactly}, libinsighttoolkit5-dev")
if("${ITK_VERSION_MAJOR}.${ITK_VERSION_MINOR}" VERSION_GREATER_EQUAL 5.3)
  # Debian's ITK from 5.3 on asks for it whenever it is looked for, and does not depend on it.
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libfftw3-dev")
endif()
set(
  CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "Spline resampling and registration for ITK on GPUs and all cores (headers)
Headers and the CMake package CudaSpline, whose target CudaSpline::CudaSpline
programs link."
)

# Its folders have no version: apart from the library, so that two versions of that can be installed.
set(CPACK_DEBIAN_FACTORIES_PACKAGE_NAME "libcudaspline-factories")
set(CPACK_DEBIAN_FACTORIES_PACKAGE_SECTION science)
set(CPACK_DEBIAN_FACTORIES_PACKAGE_DEPENDS "${_cudaspline_library} ${_cudaspline_exactly}")
set(
  CPACK_COMPONENT_FACTORIES_DESCRIPTION
  "Spline resampling and registration for ITK programs without recompiling them
An object factory that programs linked to Debian's ITK load where the variable
ITK_AUTOLOAD_PATH names its folder: they resample on a GPU or on all cores."
)
if(BUILD_SHARED_LIBS)
  # Its target is in the CMake package.
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libcudaspline-factories ${_cudaspline_exactly}")
endif()

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME "cudaspline")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "${_cudaspline_library} ${_cudaspline_exactly}")
if(BUILD_SHARED_LIBS) # CudaSplineRegister links the factories
  string(APPEND CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS ", libcudaspline-factories ${_cudaspline_exactly}")
endif()
set(
  CPACK_COMPONENT_RUNTIME_DESCRIPTION
  "Spline interpolation, resampling and registration of medical images on GPUs
CudaSplineResample resamples images of every format that ITK reads and writes
under transform files, onto a reference image or a new spacing.
CudaSplineRegister finds such transforms: rigid, affine, B-splines."
)

# For a distribution's layout, not for another prefix.
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  foreach(_cudaspline_component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER ${_cudaspline_component} _cudaspline_name)
    install(
      FILES "${CudaSpline_SOURCE_DIR}/LICENSE"
      DESTINATION "share/doc/${CPACK_DEBIAN_${_cudaspline_name}_PACKAGE_NAME}"
      RENAME copyright
      COMPONENT ${_cudaspline_component}
    )
  endforeach()
  # The notices of libraries whose headers are compiled into the programs.
  foreach(_cudaspline_notice IN ITEMS libcli11-dev nlohmann-json3-dev)
    install(
      FILES "/usr/share/doc/${_cudaspline_notice}/copyright"
      DESTINATION "share/doc/${CPACK_DEBIAN_RUNTIME_PACKAGE_NAME}"
      RENAME "copyright.${_cudaspline_notice}"
      COMPONENT Runtime
      OPTIONAL
    )
  endforeach()
endif()

include(CPack)

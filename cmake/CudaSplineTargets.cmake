# What the targets of the project share, read by the top folder and by test/, which ITK's tree reads apart.

include("${CMAKE_CURRENT_LIST_DIR}/CudaSplineLanguages.cmake")

# ITK's include folders are set by the directories whose targets use ITK (cudaspline_use_itk() there): never here, or the lower layers
# could see ITK.

# The ITK modules that are needed for what is built here.
set(CUDASPLINE_ITK_MODULES ${ITK_MODULE_CudaSpline_PUBLIC_DEPENDS})
if(BUILD_TESTING)
  list(APPEND CUDASPLINE_ITK_MODULES ${ITK_MODULE_CudaSpline-Test_DEPENDS})
endif()
if(CUDASPLINE_BUILD_APPLICATIONS)
  list(APPEND CUDASPLINE_ITK_MODULES ${CUDASPLINE_PROGRAM_DEPENDS})
endif()
if(CUDASPLINE_BUILD_EXAMPLES)
  list(APPEND CUDASPLINE_ITK_MODULES ${CUDASPLINE_EXAMPLE_DEPENDS})
endif()
if(CUDASPLINE_BUILD_APPLICATIONS OR CUDASPLINE_BUILD_BENCHMARKS)
  list(APPEND CUDASPLINE_ITK_MODULES ${CUDASPLINE_REGISTRATION_DEPENDS})
endif()
list(REMOVE_ITEM CUDASPLINE_ITK_MODULES CudaSpline)
list(REMOVE_DUPLICATES CUDASPLINE_ITK_MODULES)

# cudaspline_export_dependencies(<shared>): what ITK's macros write into the file of the module for projects that
# request it from ITK. A static library leaves the libraries that it uses to the program.
macro(cudaspline_export_dependencies shared)
  if(NOT ${shared})
    set(CudaSpline_EXPORT_CODE_BUILD "find_package(Threads REQUIRED)\n")
    if(CUDASPLINE_HAS_CUDA)
      string(APPEND CudaSpline_EXPORT_CODE_BUILD "find_package(CUDAToolkit REQUIRED)\n")
    endif()
    set(CudaSpline_EXPORT_CODE_INSTALL "${CudaSpline_EXPORT_CODE_BUILD}")
  endif()
endmacro()

# cudaspline_find_itk(<module>...): sets ITK_LIBRARIES, ITK_INCLUDE_DIRS and ITK_USE_FILE for these modules.
macro(cudaspline_find_itk)
  if(ITK_SOURCE_DIR)
    set(ITK_DIR "${ITK_BINARY_DIR}/CMakeTmp") # ITK's stand-in for its package, without a version, while its own tree is configured
    find_package(ITK REQUIRED COMPONENTS ${ARGN})
  else()
    find_package(ITK 5.2 REQUIRED COMPONENTS ${ARGN})
  endif()
  # All members of the classes in src/instances are compiled, also those that are not called: in other versions of ITK
  # some do not compile.
  set(_cudaspline_instances OFF)
  if("${ITK_VERSION_MAJOR}.${ITK_VERSION_MINOR}" STREQUAL "5.2" AND NOT ITK_SOURCE_DIR AND NOT MSVC)
    set(_cudaspline_instances ON)
  endif()
  option(CUDASPLINE_ITK_INSTANCES "Compile common classes of ITK once for tests and programs" ${_cudaspline_instances})
  mark_as_advanced(CUDASPLINE_ITK_INSTANCES)
  unset(_cudaspline_instances)
endmacro()

# cudaspline_itk_folders(<variable>): takes ITK's include folders out of this directory's properties, and leaves the module's own there.
function(cudaspline_itk_folders variable)
  get_property(folders DIRECTORY PROPERTY INCLUDE_DIRECTORIES)
  set(own "")
  foreach(folder "${CudaSpline_SOURCE_DIR}/include" "${CudaSpline_BINARY_DIR}/include")
    if(folder IN_LIST folders)
      list(APPEND own "${folder}")
      list(REMOVE_ITEM folders "${folder}")
    endif()
  endforeach()
  set_property(DIRECTORY PROPERTY INCLUDE_DIRECTORIES ${own})
  set(${variable} "${folders}" PARENT_SCOPE)
endfunction()

# cudaspline_find_cudacommon(): sets CUDASPLINE_HAS_CUDACOMMON. To be called after ITK is found.
macro(cudaspline_find_cudacommon)
  set(CUDASPLINE_HAS_CUDACOMMON OFF)
  if(CUDASPLINE_USE_CUDACOMMON AND CUDASPLINE_HAS_CUDA AND "CudaCommon" IN_LIST ITK_MODULES_ENABLED)
    set(CUDASPLINE_HAS_CUDACOMMON ON)
  elseif(CUDASPLINE_USE_CUDACOMMON STREQUAL "REQUIRED")
    message(
      FATAL_ERROR
      "CUDASPLINE_USE_CUDACOMMON is REQUIRED, but there is no CUDA, or ITK was built without its module CudaCommon."
    )
  endif()
endmacro()

# cudaspline_use_itk(<module>...): cudaspline_find_itk(), and ITK's headers and input-output factories for the targets of this directory.
# As system folders: their warnings are not ours.
macro(cudaspline_use_itk)
  cudaspline_find_itk(${ARGN})
  if(ITK_INTERFACE_LIBRARIES)
    # Since ITK 6, also inside its tree, where its package has no version. The targets carry ITK's folders and definitions;
    # ITK_USE_FILE is deprecated.
    itk_generate_factory_registration()
    set(ITK_LIBRARIES ${ITK_INTERFACE_LIBRARIES})
    foreach(_cudaspline_factory IN LISTS ITK_FACTORY_LIST)
      if(TARGET ITK::ITK${_cudaspline_factory})
        list(APPEND ITK_LIBRARIES ITK::ITK${_cudaspline_factory})
      endif()
    endforeach()
  else()
    include("${ITK_USE_FILE}")
    cudaspline_itk_folders(_cudaspline_folders)
    include_directories(SYSTEM ${_cudaspline_folders})
  endif()
endmacro()

# cudaspline_use_instances(<target> <name>): classes that CudaSpline<name> has (src/instances) are not compiled again.
function(cudaspline_use_instances target name)
  if(CUDASPLINE_ITK_INSTANCES)
    if(NOT TARGET CudaSpline${name})
      message(FATAL_ERROR "${target} uses CudaSpline${name}, which src/instances does not add before it.")
    endif()
    target_link_libraries(${target} PRIVATE CudaSpline${name})
    set_property(TARGET ${target} PROPERTY CUDASPLINE_INSTANCES ${name})
  endif()
endfunction()

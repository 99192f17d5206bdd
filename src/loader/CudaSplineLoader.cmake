# The libraries that folders for ITK_AUTOLOAD_PATH hold: FactoryLoader.cxx explains why they are not links to those of
# the factories.
include(CheckCXXSourceCompiles)

# The linker and the C library must support it, in addition to the compiler: not every Linux has it.
check_cxx_source_compiles(
  "
  #include <gnu/lib-names.h>
  #include <link.h>
  extern \"C\" {
  void * (*Resolve())() { return nullptr; }
  __attribute__((ifunc(\"Resolve\"))) void * Indirect();
  }
  int main() { void * object = nullptr; Dl_info info; return dladdr1(&object, &info, &object, RTLD_DL_LINKMAP); }
  "
  CUDASPLINE_HAS_INDIRECT_FUNCTIONS
)
mark_as_advanced(CUDASPLINE_HAS_INDIRECT_FUNCTIONS)

# cudaspline_itk_library(<variable> <library>): by what name the dynamic loader knows a library of ITK's; empty where it is a static one.
function(cudaspline_itk_library variable library)
  set(${variable} "" PARENT_SCOPE)
  foreach(name IN ITEMS "ITK::${library}" "${library}") # the former from ITK 6 on
    if(TARGET ${name})
      get_target_property(type ${name} TYPE)
      if(type STREQUAL "SHARED_LIBRARY")
        set(${variable} "$<TARGET_SONAME_FILE_NAME:${name}>" PARENT_SCOPE)
      endif()
      return()
    endif()
  endforeach()
endfunction()

# cudaspline_add_loader(<factories>): the target <factories>Loader, in a folder of its own, since ITK loads every library of the folders that
# it searches. None with static libraries: a library that contains ITK cannot share it with a program.
function(cudaspline_add_loader factories)
  get_target_property(type ${factories} TYPE)
  cudaspline_itk_library(common ITKCommon)
  cudaspline_itk_library(system itksys)
  if(NOT type STREQUAL "SHARED_LIBRARY" OR NOT common OR NOT CUDASPLINE_HAS_INDIRECT_FUNCTIONS)
    return()
  endif()
  set(folder "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${factories}")
  # A build of before has the library of the factories there, which ITK would load too.
  file(GLOB stale "${folder}/lib${factories}*.so.*")
  if(stale)
    file(REMOVE_RECURSE "${folder}")
  endif()
  add_library(${factories}Loader MODULE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/FactoryLoader.cxx")
  target_compile_features(${factories}Loader PRIVATE cxx_std_17)
  target_compile_definitions(
    ${factories}Loader
    PRIVATE
      CUDASPLINE_LOADER_FACTORIES="$<TARGET_SONAME_FILE_NAME:${factories}>"
      CUDASPLINE_LOADER_MODULE="$<TARGET_SONAME_FILE_NAME:CudaSpline>"
      CUDASPLINE_LOADER_ITK_COMMON="${common}"
      CUDASPLINE_LOADER_ITK_SYSTEM="${system}"
  )
  target_compile_options(
    ${factories}Loader
    PRIVATE $<TARGET_PROPERTY:CudaSplineWarnings,INTERFACE_COMPILE_OPTIONS> -fno-exceptions
  )
  # No C++ library: programs may have one of another version.
  target_link_options(${factories}Loader PRIVATE "LINKER:--as-needed")
  target_link_libraries(${factories}Loader PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(
    ${factories}Loader
    PROPERTIES
      # The name of the earlier library: an installation over an older one replaces it.
      OUTPUT_NAME ${factories}
      PREFIX "${CMAKE_SHARED_LIBRARY_PREFIX}"
      SUFFIX "${CMAKE_SHARED_LIBRARY_SUFFIX}"
      NO_SONAME ON
      LIBRARY_OUTPUT_DIRECTORY "${folder}"
      CXX_VISIBILITY_PRESET hidden
      INCLUDE_DIRECTORIES ""
  )
  add_dependencies(${factories}Loader ${factories})
endfunction()

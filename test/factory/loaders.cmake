# What the folders for ITK_AUTOLOAD_PATH do to programs whose ITK is another (loader_test.py has the list).
add_library(CudaSplineForeignItk STATIC ForeignItk.cxx)
target_link_libraries(CudaSplineForeignItk PRIVATE CudaSplineWarnings ${CMAKE_DL_LIBS})

# An ITK that is linked into the program, and nothing of the real one.
add_executable(CudaSplineForeignItkProgram ForeignItkProgram.cxx)
target_link_libraries(CudaSplineForeignItkProgram PRIVATE CudaSplineForeignItk CudaSplineWarnings)

# A shared one of another version.
add_library(CudaSplineForeignItkCommon SHARED ForeignItk.cxx)
target_compile_definitions(CudaSplineForeignItkCommon PUBLIC FOREIGN_ITK_SHARED)
target_link_libraries(CudaSplineForeignItkCommon PRIVATE CudaSplineWarnings ${CMAKE_DL_LIBS})
set_target_properties(CudaSplineForeignItkCommon PROPERTIES OUTPUT_NAME ITKCommon-9.9 SOVERSION 1)
add_executable(CudaSplineOtherItkProgram ForeignItkProgram.cxx)
target_link_libraries(CudaSplineOtherItkProgram PRIVATE CudaSplineForeignItkCommon CudaSplineWarnings)

# Both: linked in, and the real one shared.
add_executable(CudaSplineTwoItksProgram TwoItksProgram.cxx)
target_link_libraries(CudaSplineTwoItksProgram PRIVATE CudaSplineForeignItk CudaSplineWarnings ${ITK_LIBRARIES})

add_library(CudaSplineInterposedItk SHARED InterposedItk.cxx)

# The loader of a build with another ITK.
add_library(CudaSplineOtherVersionLoader MODULE "${CudaSpline_SOURCE_DIR}/src/loader/FactoryLoader.cxx")
target_compile_definitions(
  CudaSplineOtherVersionLoader
  PRIVATE
    CUDASPLINE_LOADER_FACTORIES="libCudaSplineFactories.so.9.9"
    CUDASPLINE_LOADER_MODULE="libCudaSpline.so.9.9"
    CUDASPLINE_LOADER_ITK_COMMON="libITKCommon-9.9.so.1"
    CUDASPLINE_LOADER_ITK_SYSTEM="libitksys-9.9.so.1"
)
target_link_libraries(CudaSplineOtherVersionLoader PRIVATE ${CMAKE_DL_LIBS})
set_target_properties(
  CudaSplineOtherVersionLoader
  PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/OtherVersion"
)

set(
  loader_tests
  static
  shared
  both
  folders
  damaged
  driver
  simpleitk
  itk
)
# Sanitizers have libraries of their own, and have to be there before one that is preloaded.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  list(APPEND loader_tests dependencies interposed)
endif()
foreach(name IN LISTS loader_tests)
  add_test(
    NAME Factory.loader_${name}
    COMMAND
      "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/loader_test.py" ${name} --folders
      "$<TARGET_FILE_DIR:CudaSplineFactoriesLoader>" "$<TARGET_FILE_DIR:CudaSplineMetricFactoriesLoader>" --libraries
      "$<TARGET_FILE:CudaSplineFactories>" "$<TARGET_FILE:CudaSpline>" --plain
      "$<TARGET_FILE:CudaSplinePlainItkProgram>" --static "$<TARGET_FILE:CudaSplineForeignItkProgram>" --shared
      "$<TARGET_FILE:CudaSplineOtherItkProgram>" --both "$<TARGET_FILE:CudaSplineTwoItksProgram>" --other
      "$<TARGET_FILE_DIR:CudaSplineOtherVersionLoader>" --preload "$<TARGET_FILE:CudaSplineInterposedItk>" --work
      "${CMAKE_CURRENT_BINARY_DIR}/loader_${name}"
  )
  set_tests_properties(
    Factory.loader_${name}
    PROPERTIES LABELS "cpu;itk;once" SKIP_RETURN_CODE 77 TIMEOUT 600
  )
endforeach()

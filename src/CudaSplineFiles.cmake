# Formats of files as bytes in memory, without ITK and without access to files: objects for the programs and for libCudaSplineC.
add_library(
  CudaSplineFiles
  OBJECT
  "${CMAKE_CURRENT_LIST_DIR}/files/HeaderText.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/files/MetaImageHeader.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/files/NiftiGeometry.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/files/NiftiHeader.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/files/NiftiPixels.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/files/NrrdAxes.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/files/NrrdFields.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/files/NrrdGeometry.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/files/NrrdHeader.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/files/RawNiftiHeader.cxx"
)
target_include_directories(
  CudaSplineFiles
  PUBLIC "${CudaSpline_SOURCE_DIR}/include"
  PRIVATE "${CMAKE_CURRENT_LIST_DIR}"
)
target_compile_features(CudaSplineFiles PUBLIC cxx_std_17)
target_link_libraries(CudaSplineFiles PRIVATE CudaSplineWarnings)
set_target_properties(CudaSplineFiles PROPERTIES POSITION_INDEPENDENT_CODE ON)

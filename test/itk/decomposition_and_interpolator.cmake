# CudaBSplineDecompositionImageFilter and CudaBSplineInterpolateImageFunction against ITK's classes and against references of our own.
add_executable(
  CudaSplineItkDecompositionTests
  CudaBSplineDecompositionImageFilterTest.cxx
  CudaBSplineDecompositionImageFilterReferenceTest.cxx
  CudaBSplineDecompositionImageFilterBehaviourTest.cxx
  CudaBSplineDecompositionImageFilterPipelineTest.cxx
  CudaBSplineDecompositionImageFilterDeviceTest.cxx
  CudaBSplineDecompositionImageFilterMethodTest.cxx
  CudaBSplineDecompositionImageFilterVectorTest.cxx
)
add_executable(
  CudaSplineItkInterpolatorTests
  CudaBSplineInterpolateImageFunctionTest.cxx
  CudaBSplineInterpolateImageFunctionReferenceTest.cxx
  CudaBSplineInterpolateImageFunctionStateTest.cxx
  CudaBSplineInterpolateImageFunctionPipelineTest.cxx
)
# ITK's constructor for vector pixels assigns a null pointer in a loop of no turns, which some compilers take seriously.
target_compile_options(
  CudaSplineItkDecompositionTests
  PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-Wno-nonnull>
)
foreach(tests CudaSplineItkDecompositionTests CudaSplineItkInterpolatorTests)
  target_link_libraries(${tests} PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
  cudaspline_discover_tests(${tests} LABELS itk)
endforeach()

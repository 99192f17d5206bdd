# CudaBSplineDecompositionImageFilter and CudaBSplineInterpolateImageFunction against ITK's classes and against references of our own.
add_executable(
  CudaSplineItkDecompositionTests
  CudaBSplineDecompositionImageFilterTest.cxx
  CudaBSplineDecompositionImageFilterReferenceTest.cxx
  CudaBSplineDecompositionImageFilterBehaviourTest.cxx
  CudaBSplineDecompositionImageFilterPipelineTest.cxx
  CudaBSplineDecompositionImageFilterDeviceTest.cxx
)
target_link_libraries(CudaSplineItkDecompositionTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
gtest_discover_tests(CudaSplineItkDecompositionTests TEST_FILTER "-*Gpu*" PROPERTIES LABELS "cpu;itk")
gtest_discover_tests(CudaSplineItkDecompositionTests TEST_FILTER "*Gpu*" PROPERTIES LABELS "gpu;itk")

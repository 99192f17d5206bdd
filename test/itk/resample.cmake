add_executable(
  CudaSplineResampleTests
  CudaResampleImageFilterTest.cxx
  CudaResampleImageFilterPixelTest.cxx
  CudaResampleImageFilterPipelineTest.cxx
  CudaResampleImageFilterFallbackTest.cxx
  CudaResampleImageFilterBrainTest.cxx
  CudaSplineInItkTest.cxx
)
target_link_libraries(CudaSplineResampleTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
gtest_discover_tests(CudaSplineResampleTests TEST_FILTER "-*Gpu*" PROPERTIES LABELS cpu LABELS itk)
gtest_discover_tests(CudaSplineResampleTests TEST_FILTER "*Gpu*" PROPERTIES LABELS gpu LABELS itk)

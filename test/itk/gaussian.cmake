# CudaSmoothingRecursiveGaussianImageFilter and CudaGradientRecursiveGaussianImageFilter against ITK's filters.
add_executable(
  CudaSplineGaussianTests
  CudaGradientRecursiveGaussianImageFilterTest.cxx
  CudaRecursiveGaussianBehaviourTest.cxx
  CudaSmoothingRecursiveGaussianImageFilterTest.cxx
)
target_link_libraries(CudaSplineGaussianTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
gtest_discover_tests(CudaSplineGaussianTests TEST_FILTER "-*Gpu*" PROPERTIES LABELS cpu LABELS itk)
gtest_discover_tests(CudaSplineGaussianTests TEST_FILTER "*Gpu*" PROPERTIES LABELS gpu LABELS itk)

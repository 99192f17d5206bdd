# CudaSmoothingRecursiveGaussianImageFilter and CudaGradientRecursiveGaussianImageFilter against ITK's filters, and
# metrics that take gradients by them.
add_executable(
  CudaSplineGaussianTests
  CudaGradientRecursiveGaussianImageFilterTest.cxx
  CudaRecursiveGaussianBehaviourTest.cxx
  CudaRecursiveGaussianImageFilterTest.cxx
  CudaSmoothingRecursiveGaussianImageFilterTest.cxx
  MetricGradientTest.cxx
)
target_link_libraries(CudaSplineGaussianTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
gtest_discover_tests(CudaSplineGaussianTests TEST_FILTER "-*Gpu*" PROPERTIES LABELS cpu LABELS itk)
gtest_discover_tests(CudaSplineGaussianTests TEST_FILTER "*Gpu*" PROPERTIES LABELS gpu LABELS itk)

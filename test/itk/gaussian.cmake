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
cudaspline_discover_tests(CudaSplineGaussianTests LABELS itk)

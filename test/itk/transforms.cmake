# CudaResampleImageFilter under transforms that are not linear, with an extrapolator, and of several numbers a pixel, against
# ITK's filter.
add_executable(
  CudaSplineTransformTests
  CudaResampleImageFilterExtrapolationTest.cxx
  CudaResampleImageFilterTransformsTest.cxx
  CudaResampleImageFilterVectorTest.cxx
)
target_link_libraries(CudaSplineTransformTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineTransformTests ImageInstances)
gtest_discover_tests(CudaSplineTransformTests TEST_FILTER "-*Gpu*" PROPERTIES LABELS cpu LABELS itk)
gtest_discover_tests(CudaSplineTransformTests TEST_FILTER "*Gpu*" PROPERTIES LABELS gpu LABELS itk)

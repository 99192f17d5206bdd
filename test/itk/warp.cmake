# CudaWarpImageFilter, CudaInterpolateImagePointsFilter and CudaTransformToDisplacementFieldFilter against ITK's filters.
add_executable(
  CudaSplineWarpTests
  CudaInterpolateImagePointsFilterTest.cxx
  CudaTransformToDisplacementFieldFilterTest.cxx
  CudaWarpImageFilterBehaviourTest.cxx
  CudaWarpImageFilterTest.cxx
)
target_link_libraries(CudaSplineWarpTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineWarpTests ImageInstances)
gtest_discover_tests(CudaSplineWarpTests TEST_FILTER "-*Gpu*" PROPERTIES LABELS cpu LABELS itk)
gtest_discover_tests(CudaSplineWarpTests TEST_FILTER "*Gpu*" PROPERTIES LABELS gpu LABELS itk)

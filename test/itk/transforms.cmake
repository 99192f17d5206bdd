# Scanlines of linear transforms, and CudaResampleImageFilter under transforms that are not linear, with an extrapolator, and of several numbers a pixel, against
# ITK's filter.
add_executable(
  CudaSplineTransformTests
  AffineScanlinesTest.cxx
  CudaResampleImageFilterExtrapolationTest.cxx
  CudaResampleImageFilterTransformsTest.cxx
  CudaResampleImageFilterVectorTest.cxx
)
target_link_libraries(CudaSplineTransformTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineTransformTests ImageInstances)
cudaspline_discover_tests(CudaSplineTransformTests LABELS itk ONCE "Backend/CudaResampleImageFilterTransforms.*")

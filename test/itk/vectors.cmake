# B-splines and Catmull-Rom of several numbers a pixel, images of different dimension, and the checks of ITK's tests of its resampling
# filter, made anew.
add_executable(
  CudaSplineVectorTests
  CudaResampleImageFilterComplexTest.cxx
  CudaResampleImageFilterDimensionsTest.cxx
  CudaVectorBSplineInterpolateImageFunctionTest.cxx
  CudaVectorSplineTest.cxx
  ItkResampleChecksTest.cxx
  ItkResamplePixelChecksTest.cxx
  ItkResampleScalingChecksTest.cxx
)
target_link_libraries(CudaSplineVectorTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_discover_tests(CudaSplineVectorTests LABELS itk)

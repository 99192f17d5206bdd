# The module's interpolators against ITK's classes and against references of our own, singly and in batches, and within the resampler.
add_executable(
  CudaSplineItkInterpolationTests
  CudaCubicConvolutionInterpolateImageFunctionTest.cxx
  CudaInterpolatorAddressModesTest.cxx
  CudaInterpolatorBatchesTest.cxx
  CudaInterpolatorPropertiesTest.cxx
  CudaInterpolatorsAgainstItkTest.cxx
  CudaLabelImageGaussianInterpolateImageFunctionTest.cxx
  CudaLabelImageGenericInterpolateImageFunctionTest.cxx
  CudaResampleImageFilterInterpolatorsTest.cxx
  ItkBSplineInterpolatorChecksTest.cxx
  ItkInterpolatorChecksTest.cxx
)
if(CUDASPLINE_HAS_CUDA)
  target_sources(CudaSplineItkInterpolationTests PRIVATE CudaInterpolatorDeviceBatchesTest.cxx)
endif()
target_link_libraries(CudaSplineItkInterpolationTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineItkInterpolationTests ImageInstances)
cudaspline_discover_tests(
  CudaSplineItkInterpolationTests
  LABELS itk
  ONCE "Backend/CudaResampleImageFilterInterpolators.*"
)

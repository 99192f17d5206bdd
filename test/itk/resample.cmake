add_executable(
  CudaSplineResampleTests
  CudaResampleImageFilterTest.cxx
  CudaResampleImageFilterPixelTest.cxx
  CudaResampleImageFilterPiecesTest.cxx
  CudaResampleImageFilterPipelineTest.cxx
  CudaResampleImageFilterFallbackTest.cxx
  CudaResampleImageFilterBrainTest.cxx
  CudaSplineInItkTest.cxx
  FarIndexTest.cxx
  CudaSplineSourceCacheTest.cxx
  CudaSplineStorageTest.cxx
)
target_link_libraries(CudaSplineResampleTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineResampleTests ImageInstances)
cudaspline_discover_tests(
  CudaSplineResampleTests
  LABELS itk
  ONCE
    "Backend/CudaResampleImageFilterTest.*"
    "Backend/CudaResampleImageFilterPiecesTest.*"
    "Backend/CudaResampleImageFilterBrainTest.*"
)

# Forks, as programs do that use processes for parallelism. Its tests pretend that CUDA was used, which the process then believes.
add_executable(CudaSplineForkTests CudaSplineForkTest.cxx)
target_include_directories(CudaSplineForkTests PRIVATE "${CudaSpline_SOURCE_DIR}/src")
target_link_libraries(CudaSplineForkTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_discover_tests(CudaSplineForkTests LABELS itk TIMEOUT 300)

# Fields of displacements against ITK's filters.
add_executable(
  CudaSplineFieldTests
  CudaFieldFiltersTest.cxx
  FieldOperationsAgainstItkTest.cxx
  SplineSmoothingAgainstItkTest.cxx
  WarpImageAgainstItkTest.cxx
)
target_link_libraries(CudaSplineFieldTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineFieldTests ImageInstances)
cudaspline_discover_tests(CudaSplineFieldTests LABELS itk ONCE "Backend/SplineSmoothing.*")

# Fields of displacements against ITK's filters.
add_executable(
  CudaSplineFieldTests
  CudaFieldFiltersTest.cxx
  FieldOperationsAgainstItkTest.cxx
  WarpImageAgainstItkTest.cxx
)
target_link_libraries(CudaSplineFieldTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
gtest_discover_tests(CudaSplineFieldTests TEST_FILTER "-*Gpu*" PROPERTIES LABELS cpu LABELS itk)
gtest_discover_tests(CudaSplineFieldTests TEST_FILTER "*Gpu*" PROPERTIES LABELS gpu LABELS itk)

# Symmetric normalization: against ITK's.
add_executable(
  CudaSplineSynTests
  ConvergenceWindowTest.cxx
  CudaBSplineSyNImageRegistrationMethodTest.cxx
  CudaSyNImageRegistrationMethodStateTest.cxx
  CudaSyNImageRegistrationMethodTest.cxx
)
target_link_libraries(CudaSplineSynTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineSynTests RegistrationInstances)
gtest_discover_tests(CudaSplineSynTests TEST_FILTER "-*Gpu*" PROPERTIES LABELS cpu LABELS itk)
gtest_discover_tests(CudaSplineSynTests TEST_FILTER "*Gpu*" PROPERTIES LABELS gpu LABELS itk)

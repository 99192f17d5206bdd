# Symmetric normalization: against ITK's.
add_executable(
  CudaSplineSynTests
  ConvergenceWindowTest.cxx
  CudaBSplineSyNImageRegistrationMethodTest.cxx
  CudaSyNMetricsTest.cxx
  CudaSyNOfFloatTest.cxx
  CudaSyNImageRegistrationMethodStateTest.cxx
  CudaSyNImageRegistrationMethodTest.cxx
  CudaTimeVaryingVelocityFieldImageRegistrationMethodv4Test.cxx
  ImagePyramidTest.cxx
)
target_link_libraries(CudaSplineSynTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineSynTests RegistrationInstances)
cudaspline_discover_tests(
  CudaSplineSynTests
  LABELS itk
  ONCE "*Trajectories.*" "*SynMetrics.*" "*SynOfFloat.*"
  LONG "*/SynTrajectories.OfManyIterationsInACube/*"
)

# Demons by filters of partial differential equations: against ITK's.
add_executable(CudaSplineDemonsTests CudaDemonsFiltersTest.cxx)
target_link_libraries(CudaSplineDemonsTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineDemonsTests ImageInstances)
cudaspline_discover_tests(CudaSplineDemonsTests LABELS itk ONCE "*Trajectories.*")

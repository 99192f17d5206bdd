# Registrations by optimizers in the kernels layer: against ITK's.
add_executable(CudaSplineLinearTests LbfgsTest.cxx LinearLevelTest.cxx LinearTransformTest.cxx SplineLevelTest.cxx)
target_link_libraries(CudaSplineLinearTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineLinearTests RegistrationInstances)
cudaspline_discover_tests(CudaSplineLinearTests LABELS itk ONCE "Backends/LinearLevels.*" "Backends/SplineLevels.*")

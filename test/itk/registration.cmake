# Whole registrations with the module's metrics: against ITK's, and of real images whose transform is known.
add_executable(
  CudaSplineRegistrationTests
  RegistrationBrainSplineTest.cxx
  RegistrationBrainTest.cxx
  RegistrationItkChecksTest.cxx
  RegistrationSlicesTest.cxx
  RegistrationTrajectoriesTest.cxx
)
target_link_libraries(CudaSplineRegistrationTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineRegistrationTests RegistrationInstances)
cudaspline_discover_tests(
  CudaSplineRegistrationTests
  LABELS itk
  ONCE "*Recovery.*" "*Trajectories.*"
  LONG
    "*/BrainRecovery.Rigid/*"
    "*/BrainRecovery.RigidWithNoise/*"
    "*/BrainRecovery.Affine/*"
    "*/BrainRecovery.BetterBrain/*"
    "*/BrainSplineRecovery.WithoutNoise/*"
)

# The module's image metrics against ITK's.
add_executable(
  CudaSplineMetricTests
  CudaCorrelationImageToImageMetricv4Test.cxx
  CudaMattesMutualInformationImageToImageMetricv4Test.cxx
  CudaMeanSquaresImageToImageMetricv4Test.cxx
  LocalMetricEdgesTest.cxx
  LocalMetricTest.cxx
  MetricCombinationsTest.cxx
  MetricFallbackTest.cxx
  MetricFieldsTest.cxx
  MetricItkChecksTest.cxx
  MetricOfFloatTest.cxx
  MetricOuterStagesTest.cxx
  MetricRandomTest.cxx
  MetricRegistrationTest.cxx
  MetricSamplingTest.cxx
)
target_link_libraries(CudaSplineMetricTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
cudaspline_use_instances(CudaSplineMetricTests RegistrationInstances)
cudaspline_discover_tests(
  CudaSplineMetricTests
  LABELS itk
  ONCE "Backends/MetricTrajectories.*" "Backends/MetricOuterStages.*" "Backends/Cuda*Metric.*" "Backends/LocalMetric*.*"
)

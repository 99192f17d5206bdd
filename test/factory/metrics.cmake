# The factory of metrics and its dependencies: the programs of the other factory are not linked to it.
cudaspline_use_itk(
  ITKCommon
  ITKImageFunction
  ITKImageGrid
  ITKIONIFTI
  ITKIONRRD
  ITKMetricsv4
  ITKOptimizersv4
  ITKPDEDeformableRegistration
  ITKRegistrationMethodsv4
  ITKTransform
)

add_executable(CudaSplineMetricFactoryTests CudaSplineMetricFactoryTest.cxx)
target_link_libraries(
  CudaSplineMetricFactoryTests
  PRIVATE CudaSplineTestSupport CudaSplineMetricFactories ${ITK_LIBRARIES}
)
cudaspline_discover_tests(CudaSplineMetricFactoryTests LABELS itk ONCE "RegisteredMetrics.*")

if(NOT TARGET CudaSplineMetricFactoriesLoader)
  return()
endif()
add_executable(CudaSplinePlainItkRegistration PlainItkRegistration.cxx)
target_link_libraries(CudaSplinePlainItkRegistration PRIVATE CudaSplineWarnings ${ITK_LIBRARIES})
add_test(
  NAME Factory.registration
  COMMAND
    "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/factory_test.py" registration --library
    "$<TARGET_FILE_DIR:CudaSplineMetricFactoriesLoader>" --program "$<TARGET_FILE:CudaSplinePlainItkRegistration>"
    --work "${CMAKE_CURRENT_BINARY_DIR}/registration"
)
set_tests_properties(Factory.registration PROPERTIES LABELS "cpu;itk;once")

# SyN with what leads to it: types, options and order as antsRegistration has them.
add_executable(CudaSplinePlainItkDeformation PlainItkDeformation.cxx)
target_link_libraries(CudaSplinePlainItkDeformation PRIVATE CudaSplineWarnings ${ITK_LIBRARIES})
add_test(
  NAME Factory.deformation
  COMMAND
    "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/factory_test.py" deformation --library
    "$<TARGET_FILE_DIR:CudaSplineMetricFactoriesLoader>" --program "$<TARGET_FILE:CudaSplinePlainItkDeformation>" --work
    "${CMAKE_CURRENT_BINARY_DIR}/deformation"
)
set_tests_properties(Factory.deformation PROPERTIES LABELS "cpu;itk;once")

# Filters of demons, as SimpleITK and plastimatch have them.
add_executable(CudaSplinePlainItkDemons PlainItkDemons.cxx)
target_link_libraries(CudaSplinePlainItkDemons PRIVATE CudaSplineWarnings ${ITK_LIBRARIES})
add_test(
  NAME Factory.demons
  COMMAND
    "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/factory_test.py" demons --library
    "$<TARGET_FILE_DIR:CudaSplineMetricFactoriesLoader>" --program "$<TARGET_FILE:CudaSplinePlainItkDemons>" --work
    "${CMAKE_CURRENT_BINARY_DIR}/demons"
)
set_tests_properties(Factory.demons PROPERTIES LABELS "cpu;itk;once")

# What antsApplyTransforms and antsRegistration instantiate, with both factories.
add_executable(CudaSplinePlainItkAnts PlainItkAnts.cxx)
target_link_libraries(CudaSplinePlainItkAnts PRIVATE CudaSplineWarnings ${ITK_LIBRARIES})
add_test(
  NAME Factory.ants
  COMMAND
    "${Python3_EXECUTABLE}" -B "${CMAKE_CURRENT_SOURCE_DIR}/factory_test.py" ants --library
    "$<TARGET_FILE_DIR:CudaSplineFactoriesLoader>:$<TARGET_FILE_DIR:CudaSplineMetricFactoriesLoader>" --program
    "$<TARGET_FILE:CudaSplinePlainItkAnts>" --work "${CMAKE_CURRENT_BINARY_DIR}/ants"
)
set_tests_properties(Factory.ants PROPERTIES LABELS "cpu;itk;once")

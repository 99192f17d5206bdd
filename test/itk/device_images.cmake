# Images whose pixels can be in the memory of a device.
add_executable(CudaSplineDeviceImageTests CudaDeviceImageTest.cxx)
target_link_libraries(CudaSplineDeviceImageTests PRIVATE CudaSplineTestSupport ${ITK_LIBRARIES})
gtest_discover_tests(CudaSplineDeviceImageTests PROPERTIES LABELS cpu LABELS itk)

# The module's description and dependencies. ITK's build reads them; so does cmake/CudaSplineModule.cmake where ITK's module macros are not installed
# (Debian's packages).
include("${CMAKE_CURRENT_LIST_DIR}/cmake/CudaSplineOptions.cmake")

set(
  DOCUMENTATION
  "GPU and multi-threaded B-spline prefilter, interpolators and resampling for ITK: the results of ITK's
own classes, exactly, by their class names or through the object factory, with CUDA where there is a GPU and with
multi-threaded kernels of the module's own where there is none."
)

# Inside ITK's tree the programs are part of the module's folder: ITK shall configure and build what they use before it. The library
# itself does not link these.
set(_cudaspline_compile_depends "")
if(ITK_SOURCE_DIR AND CUDASPLINE_BUILD_APPLICATIONS)
  set(_cudaspline_compile_depends COMPILE_DEPENDS ${CUDASPLINE_PROGRAM_DEPENDS} ${CUDASPLINE_REGISTRATION_DEPENDS})
endif()
if(ITK_SOURCE_DIR AND Module_CudaCommon AND CUDASPLINE_USE_CUDACOMMON)
  list(APPEND _cudaspline_compile_depends COMPILE_DEPENDS CudaCommon)
endif()
set(_cudaspline_test_programs "")
if(CUDASPLINE_BUILD_APPLICATIONS)
  set(_cudaspline_test_programs ${CUDASPLINE_PROGRAM_DEPENDS})
endif()

itk_module(
  CudaSpline
  ENABLE_SHARED
  DEPENDS
    ITKCommon
    ITKDisplacementField
    ITKImageFunction
    ITKImageGradient
    ITKImageGrid
    ITKMetricsv4
    ITKOptimizersv4
    ITKPDEDeformableRegistration
    ITKRegistrationMethodsv4
    ITKSmoothing
    ITKSpatialObjects
    ITKTransform
    ${_cudaspline_compile_depends}
  TEST_DEPENDS
    ITKIOImageBase
    ITKIOTransformBase
    ITKIOTransformInsightLegacy
    ITKIOTransformHDF5
    ITKIOTransformMatlab
    ITKIONIFTI
    ITKIONRRD
    ITKIOMeta
    ITKIOPNG
    ITKIOTIFF
    ITKIOGDCM
    ITKImageSources
    ITKImageIntensity
    ITKImageStatistics
    ${_cudaspline_test_programs}
  DESCRIPTION "${DOCUMENTATION}"
  EXCLUDE_FROM_DEFAULT
)

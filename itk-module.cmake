# What the module is and what it stands on: read by ITK's own build, and by cmake/CudaSplineModule.cmake where ITK's module macros are
# not installed (Debian's packages).
set(
  DOCUMENTATION
  "GPU and multi-threaded B-spline prefilter, interpolators and resampling for ITK: the results of ITK's
own classes, exactly, by their class names or through the object factory, with CUDA where there is a GPU and with
multi-threaded kernels of the module's own where there is none."
)

itk_module(
  CudaSpline
  ENABLE_SHARED
  DEPENDS ITKCommon ITKImageFunction ITKImageGrid ITKTransform
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
    ITKDisplacementField
  DESCRIPTION "${DOCUMENTATION}"
  EXCLUDE_FROM_DEFAULT
)

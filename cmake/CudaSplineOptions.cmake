# The options of the module and the ITK modules that they bring. Read by itk-module.cmake, so that inside ITK's tree they are known when
# ITK decides which modules to build.

set(CUDASPLINE_USE_CUDA "ON" CACHE STRING "ON: the GPU part is built where the CUDA Toolkit is found; REQUIRED; OFF")
set_property(CACHE CUDASPLINE_USE_CUDA PROPERTY STRINGS ON OFF REQUIRED)

# Inside ITK's tree a module brings its library and tests; the programs are there on request, because they need many modules.
set(_cudaspline_programs ON)
if(ITK_SOURCE_DIR)
  set(_cudaspline_programs OFF)
endif()
option(CUDASPLINE_BUILD_APPLICATIONS "Build the command-line programs" ${_cudaspline_programs})
option(CUDASPLINE_BUILD_EXAMPLES "Build the examples of the documentation" ${_cudaspline_programs})
option(CUDASPLINE_BUILD_PYTHON "Build the library of the Python package" ${_cudaspline_programs})
option(CUDASPLINE_BUILD_BENCHMARKS "Build the benchmarks" OFF)
option(CUDASPLINE_FUZZER "Build CudaSplineReaderFuzzer with libFuzzer; needs clang" OFF)
option(CUDASPLINE_BUILD_REGISTRATION "Build metrics, methods of registration, their factory and CudaSplineRegister" ON)
if(NOT CUDASPLINE_BUILD_REGISTRATION AND (BUILD_TESTING OR CUDASPLINE_BUILD_BENCHMARKS))
  message(
    FATAL_ERROR
    "Without CUDASPLINE_BUILD_REGISTRATION there are neither tests nor benchmarks: "
    "BUILD_TESTING and CUDASPLINE_BUILD_BENCHMARKS are to be OFF."
  )
endif()
unset(_cudaspline_programs)

set(
  CUDASPLINE_HOME_URL
  "$ENV{CUDASPLINE_HOME_URL}"
  CACHE STRING
  "Address of the repository, https://..., for links to pages"
)
mark_as_advanced(CUDASPLINE_HOME_URL)

set(CUDASPLINE_USE_ISAL "ON" CACHE STRING "ON: the programs compress by ISA-L where it is found; REQUIRED; OFF")
set_property(CACHE CUDASPLINE_USE_ISAL PROPERTY STRINGS ON OFF REQUIRED)

set(
  CUDASPLINE_USE_CUDACOMMON
  "ON"
  CACHE STRING
  "ON: test and example with images of ITKCudaCommon, which RTK uses, where ITK has that module; REQUIRED; OFF"
)
set_property(CACHE CUDASPLINE_USE_CUDACOMMON PROPERTY STRINGS ON OFF REQUIRED)

set(
  CUDASPLINE_ITK_SUITE
  ""
  CACHE PATH
  "Source of ITK, of the version in use, whose own tests of replaced classes are run"
)
mark_as_advanced(CUDASPLINE_ITK_SUITE)

# Not MINC by default: it alone brings netCDF, libxml2 and ICU, 45 MB of libraries.
set(
  CUDASPLINE_IO_MODULES
  ITKIOBMP
  ITKIOBioRad
  ITKIOGDCM
  ITKIOGIPL
  ITKIOHDF5
  ITKIOJPEG
  ITKIOJPEG2000
  ITKIOLSM
  ITKIOMRC
  ITKIOMeta
  ITKIONIFTI
  ITKIONRRD
  ITKIOPNG
  ITKIOStimulate
  ITKIOTIFF
  ITKIOVTK
  CACHE STRING
  "ITK's modules of image formats for the programs; ITKImageIO stands for all, but inside ITK's tree"
)
mark_as_advanced(CUDASPLINE_IO_MODULES)

# What the programs use beyond the module's DEPENDS. ITKTransformIO, which would stand for the formats of transforms, is not known
# inside ITK's tree.
set(
  CUDASPLINE_PROGRAM_DEPENDS
  ${CUDASPLINE_IO_MODULES}
  ITKGDCM
  ITKIOGDCM
  ITKIOTransformBase
  ITKIOTransformHDF5
  ITKIOTransformInsightLegacy
  ITKIOTransformMatlab
)
list(REMOVE_DUPLICATES CUDASPLINE_PROGRAM_DEPENDS)
# What the examples use.
set(CUDASPLINE_EXAMPLE_DEPENDS ITKIOImageBase ITKIONIFTI)
# What registrations use beyond these.
set(CUDASPLINE_REGISTRATION_DEPENDS ITKImageStatistics ITKOptimizersv4 ITKRegistrationMethodsv4)

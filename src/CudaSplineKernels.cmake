# The layers below ITK as objects: for the module's library, and for the one that has the interface in C, with which the Python package is
# built where there is no ITK (python/CMakeLists.txt). Both targets are named where they are linked: objects of objects are not handed on.

# cudaspline_kernels_settings(<target>)
function(cudaspline_kernels_settings target)
  target_include_directories(${target} PUBLIC "${CudaSpline_SOURCE_DIR}/include" PRIVATE "${CMAKE_CURRENT_LIST_DIR}")
  target_compile_features(${target} PUBLIC cxx_std_17)
  target_compile_definitions(${target} PRIVATE CUDASPLINE_VERSION="${CudaSpline_VERSION}")
  target_link_libraries(${target} PUBLIC Threads::Threads PRIVATE CudaSplineWarnings)
  # Visible whole: the templates of the ITK layer call it from the programs of users. It could not have the macros of the module's export
  # header, which is among ITK's headers inside ITK's tree.
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default POSITION_INDEPENDENT_CODE ON)
  # Coordinates agree with ITK's bit for bit: no fused multiply-add that the source does not ask for. Nobody reads errno after rounding,
  # and without it rounding is one instruction.
  target_compile_options(
    ${target}
    PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU,Clang,AppleClang>>:-ffp-contract=off;-fno-math-errno>
  )
  # The sanitizers check each access: -O3 unrolls the loops around their checks, and a file takes minutes to compile.
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
    target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release,RelWithDebInfo>>:-O3>)
  endif()
endfunction()

# What knows nothing of CUDA: compiled once where a folder is built without and with it.
add_library(
  CudaSplineHostKernels
  OBJECT
  "${CMAKE_CURRENT_LIST_DIR}/device/HostThreads.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/device/LargePages.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/ArrayInterpolationCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/BackendChoice.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/BackendLedger.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/ChainBounds.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/ContentChecksum.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/CostModel.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationCpuPacked.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationCpuSplineDouble.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationCpuSplineSingle.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationCpuTexture.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationTilePlan.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/Execution.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/IndexBounds.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/LineFilter.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/MapShape.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/MemoryPlan.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/MetricCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/MetricSamples.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/OperationRun.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/PiecePlan.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/PlanMapTiles.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/PrefilterCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/RecursiveGaussianCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/ResamplePieces.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/SourceCache.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/StageShift.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/StoreCoefficients.cxx"
)
cudaspline_kernels_settings(CudaSplineHostKernels)

# What reads CUDASPLINE_HAS_CUDA, and the GPU part.
add_library(
  CudaSplineKernels
  OBJECT
  "${CMAKE_CURRENT_LIST_DIR}/device/Device.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/device/DeviceHealth.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/device/DeviceStart.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/ArrayInterpolation.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/DeviceArrays.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/Displacements.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/ErrorBounds.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/Metric.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/Prefilter.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/RecursiveGaussian.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/Resample.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/SamplePoints.cxx"
)
cudaspline_kernels_settings(CudaSplineKernels)
if(CUDASPLINE_HAS_CUDA)
  target_sources(
    CudaSplineKernels
    PRIVATE
      "${CMAKE_CURRENT_LIST_DIR}/device/DeviceBuffer.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/DevicePool.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/Driver.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/GatherTexture.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/PinnedBuffer.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/StagedCopy.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/Stream.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/StreamPool.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/Texture.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/TextureArray.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/ArrayInterpolationCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/ArrayBricks.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/ArrayTiles.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/AffineScanlinesCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/DeviceArraysCuda.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/DisplacementsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationCatmullRom.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationLinear.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationPacked.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationPixels.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationPlane.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationSeparable.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationSinc.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationSplineDouble.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationSplineSingle.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationTexture.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/EvaluationTiles.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/GatherSource.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/MetricCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/MetricFieldCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/MetricSplineCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/PixelsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/PrefilterCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/PrefilterDouble.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/PrefilterSingle.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/RecursiveGaussianCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/ResampleCuda.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/SamplePointsCuda.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/StoreCoefficients.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/StoreInTexture.cu"
  )
  target_compile_definitions(CudaSplineKernels PRIVATE CUDASPLINE_HAS_CUDA)
  target_compile_options(
    CudaSplineKernels
    PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-Xcompiler=-Wall,-Wextra>
  )
  # Static, so that a binary starts on a machine without CUDA.
  target_link_libraries(CudaSplineKernels PUBLIC CUDA::cudart_static)
  set_target_properties(CudaSplineKernels PROPERTIES CUDA_RUNTIME_LIBRARY Static)
endif()

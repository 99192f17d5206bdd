# The layers below ITK as objects: for the module's library, and for the library with the C interface, with which the Python package is built where
# there is no ITK (python/CMakeLists.txt). Both targets are named where they are linked, because object libraries do not pass on the objects of
# others.

set(
  CUDASPLINE_KERNEL_OPTIMIZATION
  "-O3"
  CACHE STRING
  "How the host's kernels are optimized, whatever the build type's flags say"
)
mark_as_advanced(CUDASPLINE_KERNEL_OPTIMIZATION)

# cudaspline_kernels_settings(<target>)
function(cudaspline_kernels_settings target)
  target_include_directories(${target} PUBLIC "${CudaSpline_SOURCE_DIR}/include" PRIVATE "${CMAKE_CURRENT_LIST_DIR}")
  target_compile_features(${target} PUBLIC cxx_std_17)
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
    target_compile_options(
      ${target}
      PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release,RelWithDebInfo>>:${CUDASPLINE_KERNEL_OPTIMIZATION}>
    )
  endif()
endfunction()

# cudaspline_leave_out_rooms(<room>...): sources of these folders of kernels/, on which none of the others stands
function(cudaspline_leave_out_rooms)
  list(JOIN ARGN "|" rooms)
  foreach(target CudaSplineHostKernels CudaSplineKernels)
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources EXCLUDE REGEX "/kernels/(${rooms})/")
    set_target_properties(${target} PROPERTIES SOURCES "${sources}")
  endforeach()
endfunction()

# Sources that do not depend on CUDA: compiled once if a folder is built both without and with it.
add_library(
  CudaSplineHostKernels
  OBJECT
  "${CMAKE_CURRENT_LIST_DIR}/device/HostConcurrency.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/device/HostThreads.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/device/LargePages.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/arrays/ArrayInterpolationCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/arrays/ArrayWindows.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/backend/BackendChoice.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/backend/BackendLedger.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/backend/OperationRun.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/ContentChecksum.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/PlanSource.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/SourceCache.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/StoreCoefficients.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/lines/LineFilter.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/lines/PrefilterCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/common/CostModel.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/common/Execution.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/common/LabelImages.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/common/MemoryPlan.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/common/MirroredArray.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/common/NonFiniteValues.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/EvaluationBackends.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/KernelChoice.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/EvaluationTilePlan.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/host/EvaluationCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/host/EvaluationCpuPacked.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/host/EvaluationCpuSplineDouble.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/host/EvaluationCpuSplineSingle.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/host/EvaluationCpuTexture.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/host/EvaluationRuns.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/host/LinearRun.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/host/NearestRun.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/ScanlinePlan.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/FieldOperationsCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/FieldWeights.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/HostFields.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/gaussian/RecursiveGaussianCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/gradients/JointHistogramCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/local_correlation/ExactCorrelationCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/gradients/SplineGradientsCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/local_correlation/LocalCorrelationCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/passes/MetricCpu.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/MetricFormula.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/MetricSamples.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/PhysicalShift.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/PointFieldMetric.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/correlation/Correlation.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/demons/Demons.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/features/SelfSimilarityMetric.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/local_correlation/LocalCorrelationMetric.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/mean_squares/MeanSquares.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/mutual_information/InformationForces.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/mutual_information/MutualInformation.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/passes/MetricDispatch.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/ComparedImages.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/ConvergenceWindow.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/DeformableRegistration.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/DenseSearch.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/DeterminedParameters.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/GreedyLevel.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/ImageAgreement.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/ImagePyramid.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/ImageStatistics.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/Lbfgs.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LevelField.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LevelForces.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LineSearch.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LinearLevel.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LinearOptimizer.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LinearRegistration.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/RangeUnderMask.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/RotationSearch.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/SamplePlaces.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/SplineLevel.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/SplineRegistration.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/SynLevel.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/VelocityLevel.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/IndexBounds.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/MapShape.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/PiecePlan.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/PlanMapTiles.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/ResampleJob.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/ResampleKernel.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/ResampleKernelsLoader.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/ResamplePieces.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/ResampleTask.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/transforms/ChainBounds.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/transforms/LinearTransform.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/transforms/StageIdentity.cxx"
)
cudaspline_kernels_settings(CudaSplineHostKernels)

# What reads CUDASPLINE_HAS_CUDA, and the GPU part.
add_library(
  CudaSplineKernels
  OBJECT
  "${CMAKE_CURRENT_LIST_DIR}/device/Device.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/device/DeviceHealth.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/device/DeviceStart.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/arrays/ArrayInterpolation.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/arrays/DeviceArrays.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/common/Residence.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/Prefilter.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/ErrorBounds.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/SamplePoints.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/FieldFolding.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/FieldOperations.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/SplineField.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/SplineSmoothing.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/VelocityField.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/VelocityIntegration.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/VelocityLimit.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/WarpImage.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/gaussian/RecursiveGaussian.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/gradients/JointHistogram.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/gradients/LocalCorrelationLoss.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/gradients/SplineGradients.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/local_correlation/LocalCorrelation.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/local_correlation/LocalMetric.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/MappedImage.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/features/Features.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/gradient_fields/GradientFields.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/Metric.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/passes/PointForces.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/ConvertNumbers.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/DemonsLevel.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/DeterminantLimit.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/DenseCosts.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/ForceSum.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/BoxSums.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/MaskedImage.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/SplineEnergy.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LandmarkLevels.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/SplinePointEnergy.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/UpdateMoments.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LbfgsVectors.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/PixelRange.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/Resample.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/kernels/transforms/Displacements.cxx"
)
cudaspline_kernels_settings(CudaSplineKernels)
if(CUDASPLINE_HAS_CUDA)
  include("${CMAKE_CURRENT_LIST_DIR}/CudaSplineInstances.cmake")
  cudaspline_kernel_instances(kernel_instances)
  target_sources(
    CudaSplineKernels
    PRIVATE
      ${kernel_instances}
      "${CMAKE_CURRENT_LIST_DIR}/device/DeviceBuffer.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/DevicePool.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/Driver.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/GatherTexture.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/PinnedBuffer.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/StagedCopy.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/StartLock.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/Stream.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/StreamPool.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/Texture.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/device/TextureArray.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/arrays/ArrayBricks.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/arrays/ArrayInterpolationCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/arrays/ArrayTiles.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/common/ResidenceCuda.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/common/SharedMemorySizes.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/DeviceArraysCuda.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/PixelsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/PrefilterCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/StoreCoefficients.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/StoreInTexture.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/lines/PrefilterDouble.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/coefficients/lines/PrefilterSingle.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/SamplePointsCuda.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/boxes/EvaluationTiles.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/marches/EvaluationPlane.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/marches/EvaluationSeparable.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/plain/EvaluationCubicConvolution.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/plain/EvaluationLinear.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/plain/EvaluationPacked.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/plain/EvaluationPixels.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/plain/EvaluationSinc.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/evaluation/plain/EvaluationTexture.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/FieldFoldingCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/FieldInversionCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/FieldOperationsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/FieldSmoothingCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/SplineFieldCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/SplineSmoothingCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/VelocityFieldCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/VelocityIntegrationCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/WarpImageCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/gaussian/RecursiveGaussianCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/gradients/JointHistogramCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/local_correlation/ExactCorrelationCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/gradients/SplineGradientsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/ConvertNumbersCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/PixelRangeCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/features/FeaturesCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/gradient_fields/GradientFieldsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/DemonsForcesCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/SplineEnergyCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LandmarkLevelsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/fields/DeterminantLimitCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/DenseCostsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/ForceSumCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/BoxSumsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/MaskedImageCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/UpdateMomentsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/registration/LbfgsVectorsCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/local_correlation/LocalCorrelationCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/MappedImageCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/passes/MetricCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/passes/MetricFieldCuda.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/passes/MetricSplineCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/metrics/passes/PointForcesCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/AffineScanlinesCuda.cu"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/GatherSource.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/resampling/ResampleCuda.cxx"
      "${CMAKE_CURRENT_LIST_DIR}/kernels/transforms/DisplacementsCuda.cu"
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
if(NOT CUDASPLINE_BUILD_REGISTRATION AND NOT CUDASPLINE_BUILD_PYTHON) # the interface in C registers, too
  cudaspline_leave_out_rooms(registration)
  if(NOT BUILD_TESTING) # else losses need local correlation
    cudaspline_leave_out_rooms(metrics)
  endif()
endif()
if(NOT CUDASPLINE_BUILD_PYTHON AND NOT BUILD_TESTING)
  cudaspline_leave_out_rooms(arrays gradients)
endif()

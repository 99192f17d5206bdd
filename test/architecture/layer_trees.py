"""Small trees of sources for check_layers_test.py, each of which breaks one rule: name of the tree, path of a file, its text.

A line that breaks a rule ends with "BREAKS: <part of the message>", several separated by " | "; "BREAKS-NEXT:" is about the line after it.
"""

TREES = {
    "benchmark_includes_private": {
        "benchmark/Benchmark.cxx": """\
#include "itkCudaSpline/kernels/Resample.h"
#include <benchmark/benchmark.h>
#include "src/kernels/ResampleFunctor.h" // BREAKS: the benchmark layer may not include private headers of the kernels layer
""",
    },
    "c_calls_cuda": {
        "src/c/Devices.cxx": """\
#include <cuda_runtime_api.h> // BREAKS: the c layer may not include CUDA runtime

void
Free(void * memory)
{
  cudaFree(memory); // BREAKS: the c layer makes no CUDA call: CUDA call cudaFree
}
""",
    },
    "c_includes_itk": {
        "src/c/Call.cxx": """\
#include "itkCudaSpline/c/CudaSplineC.h"
#include "itkImage.h" // BREAKS: the c layer may not include ITK: "itkImage.h"
#include "itkCudaSplineBackend.h" // BREAKS: the c layer may not include itk: "itkCudaSplineBackend.h"
#include <stdint.h>
""",
    },
    "c_includes_private": {
        "src/c/Call.cxx": """\
#include "c/Call.h"
#include "kernels/HostCopies.h" // BREAKS: the c layer may not include private headers of the kernels layer
""",
        "src/c/Call.h": """\
#include "itkCudaSpline/kernels/Resample.h"
""",
        "src/kernels/HostCopies.h": "#include <cstdint>\n",
    },
    "clean": {
        "applications/Common/io/formats/NiftiInput.cxx": """\
#include "itkCudaSpline/files/NiftiHeader.h"
""",
        "applications/Tool/Tool.cxx": """\
#include "Tool.h"
#include "itkCudaFilter.h"
#include "itkImageFileReader.h"
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>
""",
        "applications/Tool/Tool.h": "#include <string>\n",
        "benchmark/Benchmark.cxx": """\
#include "itkCudaSpline/kernels/Resample.h"
#include <benchmark/benchmark.h>
#include "kernels/KernelTimes.h"
""",
        "benchmark/kernels/KernelTimes.cxx": """\
#include "KernelTimes.h"
#include "itkCudaSpline/device/Stream.h"
#include "kernels/ResampleFunctor.h"
#include <cuda_runtime_api.h>
void
Time()
{
  cudaEventRecord(nullptr);
}
""",
        "benchmark/kernels/KernelTimes.h": "class KernelTimes;\n",
        "include/itkCudaFilter.h": """\
#include "CudaSplineExport.h"
#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/itk/Helper.h"
#include "itkCudaSpline/kernels/Resample.h"
#include "itkCudaSpline/math/Weights.h"
#include "itkImage.h"
#include <vnl/vnl_math.h>
#include <memory>
// A parent's virtual that is called CudaSplineOf() or cudaless() is no CUDA call.
""",
        "include/itkCudaSpline/device/Stream.h": """\
#include "itkCudaSpline/device/DeviceError.h"
#include <cuda_runtime_api.h>
#include <memory>
""",
        "include/itkCudaSpline/files/NiftiHeader.h": """\
#ifndef itkCudaSpline_files_NiftiHeader_h
#define itkCudaSpline_files_NiftiHeader_h

#include <string>

#endif
""",
        "include/itkCudaSpline/itk/Helper.h": """\
#include "itkCudaSpline/kernels/Resample.h"
#include "itkImage.h"
""",
        "include/itkCudaSpline/kernels/resampling/Pieces.h": """\
#ifndef itkCudaSpline_kernels_resampling_Pieces_h
#define itkCudaSpline_kernels_resampling_Pieces_h

#include "itkCudaSpline/kernels/Resample.h"

#include <cstdint>

#endif
""",
        "include/itkCudaSpline/math/Weights.h": r"""#include "itkCudaSpline/math/Poles.h"
#include <cmath>
// #include "itkImage.h"
/* #include <cuda_runtime.h>
#include <cuda_runtime.h> */
inline const char * help = "\
#include <itkMath.h>";
inline const char * raw = R"(
#include <itkMath.h>
)";
""",
        "src/device/Device.cxx": """\
#include "device/DeviceHealth.h"
#include <unistd.h>
int
Count()
{
  int count = 0;
  cudaGetDeviceCount(&count);
  return count;
}
""",
        "src/kernels/ResampleCuda.cu": """\
#include "itkCudaSpline/device/Stream.h"
#include "itkCudaSpline/kernels/Resample.h"
#include "itkCudaSpline/math/Weights.h"
#include "kernels/ResampleFunctor.h"
#include <cub/block/block_reduce.cuh>
#include <cuda_runtime.h>
#include <thrust/sort.h>
__global__ void
FillKernel(float * data)
{
  *data = 0;
}
void
Fill(float * data)
{
  FillKernel<<<1, 32>>>(data);
}
""",
        "src/kernels/evaluation/Launch.h": """\
#ifndef Launch_h
#define Launch_h

#include <cstdint>

#endif
""",
        "src/kernels/evaluation/boxes/Boxes.h": """\
#ifndef Boxes_h
#define Boxes_h

#include "kernels/evaluation/Launch.h"

#endif
""",
        "src/kernels/resampling/Pieces.cxx": """\
#include "itkCudaSpline/kernels/resampling/Pieces.h"

#include "kernels/evaluation/boxes/Boxes.h"
#include "kernels/evaluation/Launch.h"
""",
        "src/loader/Load.cxx": """\
#include <cstdlib>

#include <dlfcn.h>
#include <link.h>
""",
        "test/kernels/ResampleTest.cxx": """\
#include "itkImage.h"
#include "kernels/ResampleFunctor.h"
#include <cuda_runtime.h>
#include <gtest/gtest.h>
""",
    },
    "cuda_header_reaches_itk": {
        "include/itkCudaFilter.h": """\
#include "itkImageToImageFilter.h"
""",
        "test/kernels/Launch.cuh": """\
#include "itkCudaFilter.h" // BREAKS: a CUDA source may not reach ITK: "itkCudaFilter.h"
""",
    },
    "cuda_source_includes_itk": {
        "src/kernels/ResampleCuda.cu": """\
#include "itkImage.h" // BREAKS: the kernels layer may not include ITK | a CUDA source may not reach ITK
""",
    },
    "cuda_test_reaches_itk": {
        "test/kernels/ResampleTest.cu": """\
#include <vector>
#include "Data.h" // BREAKS: a CUDA source may not reach ITK: "itkImage.h" through test/support/Data.h -> test/support/Images.h
""",
        "test/support/Data.h": """\
#include "Images.h"
""",
        "test/support/Images.h": """\
#include <string>
#include "itkImage.h"
""",
    },
    "device_includes_itk": {
        "include/itkCudaSpline/device/Device.h": "#include <itkMacro.h> // BREAKS: the device layer may not include ITK\n",
    },
    "device_includes_kernels": {
        "src/device/Stream.cxx": """\
#include "../kernels/Launch.h" // BREAKS: the device layer may not include kernels
""",
        "src/kernels/Launch.h": """\
void
Launch();
""",
    },
    "device_includes_math": {
        "include/itkCudaSpline/math/Geometry.h": """\
struct Geometry
{};
""",
        "src/device/Texture.cxx": """\
#include "itkCudaSpline/math/Geometry.h" // BREAKS: the device layer may not include math
""",
    },
    "device_includes_thrust": {
        "src/device/Buffer.cxx": "#include <thrust/device_vector.h> // BREAKS: the device layer may not include CUDA library\n",
    },
    "disguised_includes": {
        "include/itkCudaSpline/math/Weights.h": r"""  #  include    <itkMath.h> // BREAKS: the math layer may not include ITK
/* a comment */ #include "itkImage.h" // BREAKS: the math layer may not include ITK
%:include <itkPoint.h> // BREAKS: the math layer may not include ITK
#include /* another */ <cuda_runtime.h> // BREAKS: the math layer may not include CUDA runtime
// The next one is found at its first line. BREAKS-NEXT: the math layer may not include ITK
#include \
  <itkIndex.h>
""",
    },
    "files_includes_itk": {
        "src/files/NiftiHeader.cxx": """\
#include "itkImage.h" // BREAKS: the files layer may not include ITK
""",
    },
    "files_includes_kernels": {
        "src/files/NiftiHeader.cxx": """\
#include "itkCudaSpline/kernels/Resample.h" // BREAKS: the files layer may not include kernels
""",
    },
    "files_includes_system": {
        "src/files/NiftiHeader.cxx": "#include <unistd.h> // BREAKS: the files layer may not include system\n",
    },
    "folder_without_layer": {
        "include/itkCudaSpline/extras/Extra.h": "#pragma once\n",
    },
    "include_by_macro": {
        "src/kernels/Resample.cxx": """\
#define HEADER "itkImage.h"
#include HEADER // BREAKS: an include that cannot be read
""",
    },
    "itk_calls_cuda": {
        "src/itkCudaFilter.cxx": """\
void
Free(void * memory)
{
  // cudaFree() in a comment or a string is not a call.
  const char * name = "cudaFree(memory)";
  cudaFree(memory); // BREAKS: the itk layer makes no CUDA call: CUDA call cudaFree
  cuMemFree(memory); // BREAKS: the itk layer makes no CUDA call: CUDA call cuMemFree
}
""",
    },
    "itk_helper_calls_cuda": {
        "include/itkCudaSpline/itk/Helper.h": """\
#include "itkCudaSpline/kernels/Resample.h"
#include <cuda_runtime.h> // BREAKS: the itk layer may not include CUDA runtime
inline void
Wait()
{
  cudaDeviceSynchronize(); // BREAKS: the itk layer makes no CUDA call: CUDA call cudaDeviceSynchronize
}
""",
    },
    "itk_includes_c": {
        "src/itkCudaSplineBackend.cxx": """\
#include "itkCudaSpline/c/CudaSplineC.h" // BREAKS: the itk layer may not include c
""",
    },
    "itk_includes_cub": {
        "src/itkCudaFilter.cxx": "#include <cub/device/device_reduce.cuh> // BREAKS: the itk layer may not include CUDA library\n",
    },
    "itk_includes_cuda": {
        "include/itkCudaFilter.hxx": """\
#include "itkImage.h"
#include <cuda_runtime_api.h> // BREAKS: the itk layer may not include CUDA runtime
""",
    },
    "itk_includes_private": {
        "src/itkCudaFilter.cxx": """\
#include "kernels/ResampleFunctor.h" // BREAKS: the itk layer may not include private headers of the kernels layer
""",
        "src/kernels/ResampleFunctor.h": """\
struct ResampleFunctor
{};
""",
    },
    "itk_includes_program": {
        "applications/Tool/Report.h": """\
void
Report();
""",
        "src/itkCudaFilter.cxx": """\
#include "../applications/Tool/Report.h" // BREAKS: the itk layer may not include programs
""",
    },
    "itk_includes_test_framework": {
        "include/itkCudaFilter.h": "#include <gtest/gtest_prod.h> // BREAKS: the itk layer may not include GoogleTest\n",
    },
    "itk_launches_kernel": {
        "include/itkCudaFilter.hxx": """\
template <typename T>
__global__ void // BREAKS: the itk layer makes no CUDA call: kernel
FillKernel(T * data);

void
Fill(float * data)
{
  FillKernel<<<1, 32>>>(data); // BREAKS: the itk layer makes no CUDA call: kernel launch
}
""",
    },
    "jax_includes_kernels": {
        "src/jax/JaxHandlers.cxx": """\
#include "xla/ffi/api/ffi.h"
#include "itkCudaSpline/c/CudaSplineC.h"
#include "itkCudaSpline/device/Device.h" // BREAKS: the jax layer may not include device: "itkCudaSpline/device/Device.h"
#include <cuda_runtime_api.h> // BREAKS: the jax layer may not include CUDA runtime: "cuda_runtime_api.h"
""",
    },
    "kernel_benchmark_includes_itk": {
        "benchmark/kernels/KernelTimes.cxx": """\
#include "kernels/ResampleFunctor.h"
#include "itkImage.h" // BREAKS: the kernel benchmark layer may not include ITK
#include "itkCudaResampleImageFilter.h" // BREAKS: the kernel benchmark layer may not include itk
#include <benchmark/benchmark.h> // BREAKS: the kernel benchmark layer may not include library of programs
""",
    },
    "kernels_include_c": {
        "src/kernels/Resample.cxx": """\
#include "itkCudaSpline/c/CudaSplineC.h" // BREAKS: the kernels layer may not include c
#include "itkCudaSpline/kernels/Resample.h"
""",
    },
    "kernels_include_itk": {
        "include/itkCudaSpline/kernels/Resample.h": """\
#include "itkImage.h" // BREAKS: the kernels layer may not include ITK
""",
    },
    "kernels_include_itk_helper": {
        "include/itkCudaSpline/itk/Helper.h": "class Helper;\n",
        "src/kernels/Resample.cxx": """\
#include "itkCudaSpline/itk/Helper.h" // BREAKS: the kernels layer may not include itk
#include "itkCudaSpline/itk/Missing.h" // BREAKS: the kernels layer may not include itk
""",
    },
    "kernels_include_itk_layer": {
        "include/itkCudaFilter.h": "class Filter;\n",
        "src/kernels/Resample.cxx": """\
#include "itkCudaFilter.h" // BREAKS: the kernels layer may not include itk
#include "CudaSplineExport.h" // BREAKS: the kernels layer may not include itk
""",
    },
    "kernels_include_tests": {
        "src/kernels/Resample.cxx": """\
#include "Reference.h" // BREAKS: the kernels layer may not include tests
""",
        "test/support/Reference.h": """\
double
Reference();
""",
    },
    "kernels_include_unknown": {
        "src/kernels/Sort.cxx": "#include <boost/sort/sort.hpp> // BREAKS: may not include a header that check_layers.py does not know\n",
    },
    "kernels_include_vnl": {
        "src/kernels/Solve.cxx": "#include <vnl/vnl_matrix.h> // BREAKS: the kernels layer may not include ITK\n",
    },
    "kernels_rooms_in_a_circle": {
        "include/itkCudaSpline/kernels/common/Plan.h": """\
#ifndef itkCudaSpline_kernels_common_Plan_h
#define itkCudaSpline_kernels_common_Plan_h

#include "itkCudaSpline/kernels/resampling/Resample.h" // BREAKS: a circle of folders, kernels/common -> kernels/resampling -> kernels/common: "itkCudaSpline/kernels/resampling/Resample.h"

#endif
""",
        "include/itkCudaSpline/kernels/resampling/Resample.h": """\
#ifndef itkCudaSpline_kernels_resampling_Resample_h
#define itkCudaSpline_kernels_resampling_Resample_h

#include <cstdint>

#endif
""",
        "src/kernels/resampling/Resample.cxx": """\
#include "itkCudaSpline/kernels/common/Plan.h" // BREAKS: a circle of folders, kernels/resampling -> kernels/common -> kernels/resampling
#include "itkCudaSpline/kernels/resampling/Resample.h"
""",
    },
    "kernels_rooms_in_a_wide_circle": {
        "src/kernels/arrays/Array.cxx": """\
#include "kernels/evaluation/Launch.h"
""",
        "src/kernels/coefficients/Source.h": """\
#ifndef Source_h
#define Source_h

#include "kernels/evaluation/boxes/Boxes.cuh" // BREAKS: a circle of folders, kernels/coefficients -> kernels/evaluation/boxes

#endif
""",
        "src/kernels/evaluation/Launch.h": """\
#ifndef Launch_h
#define Launch_h

#include "kernels/coefficients/Source.h" // BREAKS: a circle of folders, kernels/evaluation -> kernels/coefficients -> kernels/evaluation/boxes -> kernels/evaluation

#endif
""",
        "src/kernels/evaluation/boxes/Boxes.cuh": """\
#include "kernels/evaluation/Launch.h" // BREAKS: a circle of folders, kernels/evaluation/boxes -> kernels/evaluation
""",
    },
    "loader_includes_itk": {
        "src/loader/Load.cxx": """\
#include "itkVersion.h" // BREAKS: the loader layer may not include ITK: "itkVersion.h"
#include "itkCudaSplineTrace.h" // BREAKS: the loader layer may not include itk: "itkCudaSplineTrace.h"
#include "itkCudaSpline/device/Device.h" // BREAKS: the loader layer may not include device: "itkCudaSpline/device/Device.h"
""",
    },
    "math_calls_cuda": {
        "include/itkCudaSpline/math/Weights.h": """\
inline void
Wait()
{
  cudaDeviceSynchronize(); // BREAKS: the math layer makes no CUDA call: CUDA call cudaDeviceSynchronize
}
""",
    },
    "math_includes_cuda": {
        "include/itkCudaSpline/math/Weights.h": """\
#if defined(__CUDACC__)
#  include <cuda_runtime.h> // BREAKS: the math layer may not include CUDA runtime
#endif
""",
    },
    "math_includes_device": {
        "include/itkCudaSpline/math/Weights.h": """\
#include "itkCudaSpline/device/Device.h" // BREAKS: the math layer may not include device
""",
    },
    "math_includes_itk": {
        "include/itkCudaSpline/math/Weights.h": """\
#include <cmath>
#include "itkMath.h" // BREAKS: the math layer may not include ITK
""",
    },
    "math_includes_system": {
        "include/itkCudaSpline/math/Weights.h": "#include <unistd.h> // BREAKS: the math layer may not include system\n",
    },
    "program_calls_cuda": {
        "applications/Tool/Tool.cxx": """\
#include <cuda_runtime_api.h> // BREAKS: the programs layer may not include CUDA runtime
int
main()
{
  return cudaDeviceReset(); // BREAKS: the programs layer makes no CUDA call: CUDA call cudaDeviceReset
}
""",
    },
    "program_includes_device": {
        "examples/Example.cxx": """\
#include "itkCudaSpline/device/Device.h" // BREAKS: the programs layer may not include device
""",
    },
    "program_folders_in_a_circle": {
        "applications/Common/io/formats/Image.h": "#include <string>\n",
        "applications/Common/io/volume/Volume.h": """\
#include "io/formats/Image.h" // BREAKS: a circle of folders, applications/Common/io/volume -> applications/Common/io/formats
""",
        "applications/Common/io/formats/Image.cxx": """\
#include "io/volume/Volume.h" // BREAKS: a circle of folders, applications/Common/io/formats -> applications/Common/io/volume
""",
        "applications/Tool/cli/Options.h": """\
#include "output/Report.h" // BREAKS: a circle of folders, applications/Tool/cli -> applications/Tool/output
""",
        "applications/Tool/output/Report.h": """\
#include "cli/Options.h" // BREAKS: a circle of folders, applications/Tool/output -> applications/Tool/cli
""",
    },
    "program_includes_files_private": {
        "applications/Common/io/formats/NiftiInput.cxx": """\
#include "files/RawNiftiHeader.h" // BREAKS: the programs layer may not include private headers of the files layer
""",
    },
    "program_includes_kernels": {
        "applications/Tool/Tool.cxx": """\
#include "itkCudaResampleImageFilter.h"
#include "itkCudaSpline/kernels/Resample.h" // BREAKS: the programs layer may not include kernels
""",
    },
    "program_includes_math": {
        "applications/Tool/Tool.cxx.in": """\
#include "itkCudaSpline/math/PixelAccess.h" // BREAKS: the programs layer may not include math
""",
    },
    "wrapping_includes_kernels": {
        "wrapping/itkCudaFilter.wrap": """\
itk_wrap_include("itkCudaFilter.h")
itk_wrap_include("itkCudaSpline/kernels/Resample.h") # BREAKS: the programs layer may not include kernels
""",
    },
}

/*=========================================================================
 *
 *  Copyright the CudaSpline contributors
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/

/** \file
 * \brief Times of the kernels layer. Each benchmark is one cell of named axes, so that --benchmark_filter chooses:
 *
 *   Prefilter/backend:cpu/dimension:3/size:128/precision:single/order:3/mode:exact
 *   Prefilter/backend:cuda/dimension:3/size:128/precision:single/order:3/mode:fir/taps:15
 *   PrefilterKernel/backend:cuda/dimension:2/size:4096/precision:single/order:3/mode:fir/taps:15/axis:x
 *   Copy/backend:cuda/dimension:3/size:128/precision:double
 *   Resample/backend:cuda/dimension:3/size:128/precision:double/interpolation:bspline/order:3
 *
 *   Field/name:compose/backend:cuda/dimension:3/size:256/precision:single
 *   EvaluationKernel/backend:cuda/dimension:3/size:512/way:cubic/move:rotation
 *   LocalCorrelation/backend:cuda/dimension:3/size:256/precision:single/radius:4/derivatives:2/mask:none
 *   LocalCorrelation/backend:cuda/dimension:3/size:256/precision:single/radius:4/derivatives:2/mask:none/gradient:exact
 *   SelfSimilarity/backend:cuda/dimension:3/size:256/precision:single
 *   SelfSimilarityForces/backend:cuda/dimension:3/size:256/precision:single
 *   SelfSimilarityMovingForces/backend:cuda/dimension:3/size:256/precision:single
 *   DenseSearch/backend:cuda/dimension:3/size:256/precision:single
 *   SymmetricDenseSearch/backend:cuda/dimension:3/size:256/precision:single
 *   FieldMetric/name:mattes/backend:cuda/dimension:3/size:256/precision:single
 *   SplineLevel/backend:cuda/dimension:3/size:197/precision:single/cells:4mm/metric:mattes/part:all
 *
 * Prefilter (making a source: upload, conversion, prefilter) and Resample (evaluation, download) are the wall time of a
 * whole call from host memory to host memory, or to the memory of the device for Prefilter on a GPU. PrefilterKernel is
 * the kernels alone, on data of the device, by its own clock, and so is EvaluationKernel, from coefficients to values
 * in its memory; LocalCorrelation has images and derivatives there; its time is the mean of 20 calls without a wait
 * between them. Copy is a copy within the memory of the device or, by all threads, of the host.
 *
 * Field is an operation of fields of displacements that are in the memory of the backend, as registrations do them one
 * after the other: several are enqueued before the device is waited for. An inversion counts by iterations, an
 * exponential by compositions. FieldMetric is a call for a metric's value and its derivative by displacements, with
 * images, field and derivative in the memory of the backend; it waits for the value. SelfSimilarity makes the features
 * of one image; SelfSimilarityForces is the value and the forces on both images, each moved by a field,
 * SelfSimilarityMovingForces those on the moving image. DenseSearch is a whole search with the features,
 * SymmetricDenseSearch one in both directions. SplineLevel is an evaluation of a B-spline registration of two brains of
 * 1 mm, without L-BFGS (part:metric) and with its step (part:all), in the mean of ten.
 *
 * The counters read and written are the fewest bytes that the operation must move through memory: each input once, each
 * output once; bytes_per_second is their sum by the time. PrefilterKernel and Prefilter on the Cpu backend measure a
 * copy of their volume besides: copy_ms, copies (the time by that of the copy) and percent_of_copy (its inverse: these
 * bytes a second by the copy's).
 *
 * Seven repetitions by default, reported as median, mean, standard deviation and quartiles; --benchmark_out=FILE writes
 * every one of them as JSON, of which reproduction/benchmark-table makes a table. Data are random, never zeros. */

#include "BenchmarkCell.h"
#include "BenchmarkHarness.h"
#include "FeatureBenchmark.h"
#include "FieldBenchmark.h"
#include "FieldMetricBenchmark.h"
#include "GaussianBenchmark.h"
#include "LocalCorrelationBenchmark.h"
#include "SplineLevelBenchmark.h"

#include "itkCudaSpline/device/Device.h"

#include <string>
#include <thread>

namespace
{
using namespace itk::CudaSpline;

/** Registers all cells that this machine can measure. Returns why others are missing. */
std::string
RegisterAll()
{
  const DeviceChoice choice = SelectDevice();
  benchmark::AddCustomContext("threads", std::to_string(std::thread::hardware_concurrency()));
  benchmark::AddCustomContext("cuda_toolkit", BuiltWithCuda() ? CudaToolkitVersion() : "none");
  if (choice)
  {
    const DeviceInfo info = QueryDevice(choice.device);
    benchmark::AddCustomContext(
      "device", info.name + ", compute capability " + std::to_string(info.major) + "." + std::to_string(info.minor));
  }
  else
  {
    benchmark::AddCustomContext("device", "none: " + choice.reason);
  }
  RegisterPrefilters(static_cast<bool>(choice));
  RegisterResamplings(static_cast<bool>(choice));
  RegisterLocalCorrelations(static_cast<bool>(choice));
  RegisterFields(static_cast<bool>(choice));
  RegisterFieldMetrics(static_cast<bool>(choice));
  RegisterFeatures(static_cast<bool>(choice));
  RegisterSplineLevels(static_cast<bool>(choice));
#if defined(CUDASPLINE_HAS_CUDA)
  if (choice)
  {
    RegisterEvaluations();
    RegisterGaussians();
  }
#endif
  return choice ? "" : "The Cuda backend is not measured: " + choice.reason;
}
} // namespace

int
main(int argc, char ** argv)
{
  return RunBenchmarks(argc, argv, RegisterAll);
}

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
#include "FieldCase.h"

#include "itkCudaSpline/device/DeviceError.h"
#include "itkCudaSpline/kernels/fields/SplineField.h"
#include "itkCudaSpline/kernels/fields/VelocityField.h"
#include "itkCudaSpline/kernels/fields/WarpImage.h"

#include <cuda_runtime_api.h>

#include <algorithm>

using namespace CudaSplineTest;

// A graph records any sequence of steps: nothing is allocated, and nothing waits. If it is launched twice, the steps
// are executed twice.
TEST(FieldGraphGpu, RecordsSteps)
{
  CUDASPLINE_NEEDS_GPU();
  FreshRandom      random;
  ExecutionContext context;
  context.backend = Backend::Cuda;
  const Residence           residence(context);
  const ScalarType          type = ScalarType::Float32;
  const FieldShape          shape{ RandomGrid({ 41, 30, 23 }, random, false), type };
  const auto                numbers = static_cast<std::size_t>(shape.Numbers());
  const auto                field = RandomField(shape.grid, 1.5, true, random);
  const auto                first = Resident(field, type, residence);
  const FieldSplineFit      fit{ { 6, 5, 7 }, true };
  const ResidentArray       inverse(shape.Bytes(), residence);
  const ResidentArray       output(shape.Bytes(), residence);
  const ResidentArray       scratch(std::max({ CountInversionScratch(shape),
                                               CountSplineSmoothingScratch(shape, fit),
                                               CountSplineSmoothingScratch(shape, fit, true) }) +
                                MaximumNormScratch,
                              residence);
  const std::vector<double> weights(static_cast<std::size_t>(shape.grid.Count()), 0.5);
  const ResidentArray       confidence = Resident(weights, type, residence);
  const ResidentArray       state(sizeof(FieldInversionState), residence);
  const ResidentArray       maximum(sizeof(double), residence);
  const auto                smoothing = MakeFieldSmoothing(shape.grid, 3.0);
  ImageWarp                 warp;
  warp.input = warp.output = shape.grid;
  warp.stages.push_back(MakeFieldStage(shape, output.Data()));
  const auto steps = [&] {
    ClearResident(inverse.Data(), shape.Bytes(), residence);
    InvertField(shape,
                first.Data(),
                inverse.Data(),
                FieldInversion(),
                state.As<FieldInversionState>(),
                scratch.Data(),
                residence);
    ComposeFields(shape, first.Data(), shape, inverse.Data(), output.Data(), residence);
    SmoothField(shape, inverse.Data(), smoothing, output.Data(), scratch.Data(), residence);
    SmoothFieldBySpline(shape, output.Data(), nullptr, fit, output.Data(), scratch.Data(), residence);
    SmoothFieldBySpline(shape, output.Data(), confidence.Data(), fit, output.Data(), scratch.Data(), residence);
    FindMaximumNorm(shape, output.Data(), maximum.As<double>(), scratch.Data(), residence);
    ScaleField(shape, output.Data(), 0.25, maximum.As<double>(), output.Data(), residence);
    ExponentiateField(shape, output.Data(), 3, false, inverse.Data(), scratch.Data(), residence);
    WarpImage(warp, first.Data(), scratch.Data(), residence);
    CopyResident(output.Data(), inverse.Data(), shape.Bytes(), residence);
  };
  steps(); // loads the kernels
  const auto expected = Numbers(output.Data(), numbers, type, residence);
  ClearResident(output.Data(), shape.Bytes(), residence);
  residence.Wait();

  cudaStream_t const stream = residence.GetStream().Get();
  cudaGraph_t        graph = nullptr;
  cudaGraphExec_t    playable = nullptr;
  CheckCuda(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  steps();
  CheckCuda(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  CheckCuda(cudaGraphInstantiate(&playable, graph, 0), "cudaGraphInstantiate");
  for (int i = 0; i < 2; ++i)
  {
    CheckCuda(cudaGraphLaunch(playable, stream), "cudaGraphLaunch");
    EXPECT_EQ(Numbers(output.Data(), numbers, type, residence), expected);
    ClearResident(output.Data(), shape.Bytes(), residence);
  }
  residence.Wait();
  CheckCuda(cudaGraphExecDestroy(playable), "cudaGraphExecDestroy");
  CheckCuda(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

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
#include "itkCudaSpline/kernels/registration/ConvergenceWindow.h"

#include "itkWindowConvergenceMonitoringFunction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

/** \file
 * \brief The convergence value of random energies of a registration has the same bits as ITK's. */

namespace
{

TEST(ConvergenceWindow, IsItks)
{
  std::mt19937 generator(20261124);
  for (const unsigned int size : { 2U, 3U, 5U, 10U, 17U })
  {
    itk::CudaSpline::ConvergenceWindow window(size);
    const auto                         reference = itk::Function::WindowConvergenceMonitoringFunction<double>::New();
    reference->SetWindowSize(size);
    std::uniform_real_distribution<double> noise(-0.01, 0.01);
    for (int n = 0; n < 40; ++n)
    {
      const double energy = -0.9 + 0.5 * std::exp(-0.2 * n) + noise(generator);
      window.Add(energy);
      reference->AddEnergyValue(energy);
      EXPECT_EQ(window.GetValue(), reference->GetConvergenceValue()) << "window of " << size << ", energy " << n;
    }
  }
}

} // namespace

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
#include "itkCudaSplineComplexPixels.h" // before the headers that use them

#include "RandomComparison.h"

#include "itkCovariantVector.h"
#include "itkVariableLengthVector.h"

#include <complex>

CudaSplineTest::Outcome
CudaSplineTest::RunCaseOfPixels2D(PixelPair pair, Draw & draw, bool gpu)
{
  using List = itk::VariableLengthVector<float>;
  using Covariant = itk::CovariantVector<double, 2>;
  switch (pair)
  {
    case PixelPair::Lists:
      return RandomComparison<List, List, 2>(draw, gpu).Run();
    case PixelPair::Complex:
      return RandomComparison<std::complex<float>, std::complex<float>, 2>(draw, gpu).Run();
    case PixelPair::Covariant:
      return RandomComparison<Covariant, Covariant, 2>(draw, gpu).Run();
    case PixelPair::UnsignedInts:
      return RandomComparison<unsigned int, unsigned int, 2>(draw, gpu).Run();
    default:
      return RandomComparison<signed char, signed char, 2>(draw, gpu).Run();
  }
}

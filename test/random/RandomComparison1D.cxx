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
#include "RandomComparison.h"

CudaSplineTest::Outcome
CudaSplineTest::RunCase1D(PixelPair pair, Draw & draw, bool gpu)
{
  switch (pair)
  {
    case PixelPair::FloatToFloat:
      return RandomComparison<float, float, 1>(draw, gpu).Run();
    case PixelPair::UShortToByte:
      return RandomComparison<unsigned short, unsigned char, 1>(draw, gpu).Run();
    case PixelPair::ShortToShort:
      return RandomComparison<short, short, 1>(draw, gpu).Run();
    case PixelPair::Longs:
      return RandomComparison<std::int64_t, std::int64_t, 1>(draw, gpu).Run();
    default:
      return RandomComparison<double, double, 1>(draw, gpu).Run();
  }
}

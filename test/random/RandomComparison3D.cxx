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

#include "itkRGBAPixel.h"

CudaSplineTest::Outcome
CudaSplineTest::RunCase3D(PixelPair pair, Draw & draw, bool gpu)
{
  switch (pair)
  {
    case PixelPair::FloatToFloat:
      return RandomComparison<float, float, 3>(draw, gpu).Run();
    case PixelPair::ByteToFloat:
      return RandomComparison<unsigned char, float, 3>(draw, gpu).Run();
    case PixelPair::Vectors:
      return RandomComparison<itk::Vector<float, 3>, itk::Vector<float, 3>, 3>(draw, gpu).Run();
    case PixelPair::Colours:
      return RandomComparison<itk::RGBAPixel<unsigned char>, itk::RGBAPixel<unsigned char>, 3>(draw, gpu).Run();
    default:
      return RandomComparison<double, double, 3>(draw, gpu).Run();
  }
}

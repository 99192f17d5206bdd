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
#ifndef LinePack_h
#define LinePack_h

namespace itk::CudaSpline
{

/** \brief One sample of each of VLines lines, with the arithmetic that the line recursion needs.
 *
 * The loops over an array have a constant length, so that the compiler can turn them into vector instructions of the
 * available width. */
template <typename TReal, int VLines>
struct LinePack
{
  alignas(sizeof(TReal) * VLines) TReal lane[VLines];

  friend LinePack
  operator+(const LinePack & a, const LinePack & b)
  {
    LinePack sum;
    for (int i = 0; i < VLines; ++i)
    {
      sum.lane[i] = a.lane[i] + b.lane[i];
    }
    return sum;
  }

  friend LinePack
  operator-(const LinePack & a, const LinePack & b)
  {
    LinePack difference;
    for (int i = 0; i < VLines; ++i)
    {
      difference.lane[i] = a.lane[i] - b.lane[i];
    }
    return difference;
  }

  friend LinePack
  operator*(TReal factor, const LinePack & a)
  {
    LinePack product;
    for (int i = 0; i < VLines; ++i)
    {
      product.lane[i] = factor * a.lane[i];
    }
    return product;
  }
};

} // namespace itk::CudaSpline

#endif

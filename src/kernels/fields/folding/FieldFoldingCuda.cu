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
#include "kernels/fields/common/FieldLaunch.cuh"
#include "kernels/fields/folding/FieldVolume.h"

#include <cstring>

namespace itk::CudaSpline
{

namespace
{

/** The results so far, in device memory. Determinants are integers with the same order. */
struct Found
{
  unsigned long long voxels;
  long long          least;
  long long          largest;
};

/** Maps the bits of a double to an integer so that the order is the same. The order of the bits of negative numbers is
 * reversed. */
CUDASPLINE_HOST_DEVICE long long
Ordered(long long bits)
{
  constexpr long long allButSign = 0x7fffffffffffffffLL;
  return bits < 0 ? bits ^ allButSign : bits;
}

long long
OrderOf(double number)
{
  long long bits = 0;
  std::memcpy(&bits, &number, sizeof(bits));
  return Ordered(bits);
}

double
NumberOf(long long order)
{
  const long long bits = Ordered(order);
  double          number = 0.0;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

template <unsigned int VDimension, typename TReal>
struct MeasuredVolume
{
  FieldVolume<VDimension, TReal> volume;
  TReal *                        output;
  bool                           isLogarithm;
  Found *                        found;

  /** Processes a sample. Few samples change the results, the others only read them. */
  __device__ void
  operator()(const std::int64_t (&at)[3]) const
  {
    const double determinant = volume(at);
    if (!(determinant > 0.0))
    {
      atomicAdd(&found->voxels, 1ULL);
    }
    if (determinant == determinant)
    {
      const long long order = Ordered(__double_as_longlong(determinant));
      if (order < found->least)
      {
        atomicMin(&found->least, order);
      }
      if (order > found->largest)
      {
        atomicMax(&found->largest, order);
      }
    }
    if (output != nullptr)
    {
      output[OffsetOf(volume.walk, at)] = FieldVolume<VDimension, TReal>::Written(determinant, isLogarithm);
    }
  }
};

} // namespace

FieldFolding
MeasureFoldingOnCuda(const FieldShape & shape,
                     const void *       field,
                     void *             determinants,
                     bool               isLogarithm,
                     const Residence &  residence)
{
  FieldFolding  whole;
  Found         found{ 0, OrderOf(whole.least), OrderOf(whole.largest) };
  ResidentArray array(sizeof(found), residence);
  Upload(array.Data(), &found, sizeof(found), residence);
  DispatchField(shape.grid.dimension, shape.element, [&](auto compiled) {
    using Real = typename decltype(compiled)::Real;
    const MeasuredVolume<decltype(compiled)::Dimension, Real> body{
      { shape.grid, field }, static_cast<Real *>(determinants), isLogarithm, static_cast<Found *>(array.Data())
    };
    LaunchField(body, body.volume.walk, residence);
  });
  Download(&found, array.Data(), sizeof(found), residence);
  whole.all = shape.grid.Count();
  whole.voxels = static_cast<std::int64_t>(found.voxels);
  whole.least = NumberOf(found.least);
  whole.largest = NumberOf(found.largest);
  return whole;
}

} // namespace itk::CudaSpline

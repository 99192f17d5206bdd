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
#ifndef RandomCase_h
#define RandomCase_h

#include "itkCudaSpline/kernels/common/Execution.h"

#include <cstddef>
#include <cstdint>
#include <string>

/** \file
 * \brief A case of the randomised comparison with ITK's ResampleImageFilter, and what came of it. */

namespace CudaSplineTest
{

class Draw;

/** The result of a case. */
struct Outcome
{
  std::string              description;                               ///< what was drawn, in a line
  std::string              failure;                                   ///< empty where all is as promised
  std::string              reason;                                    ///< the filter's reason of a fallback
  itk::CudaSpline::Backend backend{ itk::CudaSpline::Backend::None }; ///< that computed the result
  long                     samples{ 0 };                              ///< numbers that were compared
  long                     inside{ 0 };                               ///< of them no default value
  long                     differing{ 0 };                            ///< within the bound
  long                     flips{ 0 };                                ///< beyond it, within 1e-9 of a border or tie
  std::size_t              pieces{ 0 };                               ///< into which it was cut
  double                   worst{ 0.0 };                              ///< largest difference over its bound
  bool                     isLinear{ true };                          ///< transform of the category Linear
  bool                     isChain{ false };                          ///< of transforms, which the kernels walk
  bool                     isSimple{ false };                         ///< samples at whole and half indices
};

/** Pixel types from one image to the other, and coordinates. */
enum class PixelPair : unsigned char
{
  FloatToFloat,
  DoubleToDouble,
  ShortToShort,
  ByteToFloat,
  UShortToByte,
  IntToInt,
  SingleCoordinates, ///< float to float, ITK's filter with float for double throughout; 2D
  Vectors,           ///< of three float; 3D
  Colours,           ///< RGBA of bytes; 3D
  Lists,             ///< itk::VectorImage of float; 2D
  Complex,           ///< of float; 2D
  Covariant,         ///< vectors of two double; 2D
  SignedBytes,       ///< 2D
  UnsignedInts,      ///< 2D
  Longs              ///< of 64 bits; 1D
};

/** \brief Runs a case, whose dimension and pixels were drawn.
 *
 * \param[in] draw the rest of its numbers
 * \param[in] gpu whether it shall run on the GPU
 * One function a dimension and a source. */
///@{
Outcome
RunCase1D(PixelPair pair, Draw & draw, bool gpu);
Outcome
RunCase2D(PixelPair pair, Draw & draw, bool gpu);
Outcome
RunCase3D(PixelPair pair, Draw & draw, bool gpu);
Outcome
RunCaseOfIntegers2D(PixelPair pair, Draw & draw, bool gpu);
Outcome
RunCaseOfIntegers3D(PixelPair pair, Draw & draw, bool gpu);
Outcome
RunCaseOfPixels2D(PixelPair pair, Draw & draw, bool gpu);
///@}

} // namespace CudaSplineTest

#endif

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
#ifndef Phantoms_h
#define Phantoms_h

#include "Picture.h"

#include <string>
#include <vector>

/** \file
 * \brief Test images of closed form: the same in every run, on every machine, at every size.
 *
 * Grey values are 0 to 255, those of the CT-like phantom Hounsfield units. Places are normalised: each axis goes from
 * -1 to 1, from the outer border of the first sample to that of the last one. */

/** \brief The head phantom of Shepp and Logan (IEEE Transactions on Nuclear Science 21(3):21-43, 1974): ten ellipses.
 *
 * Contrasts are the raised ones in common use (skull 1, brain 0.2), times 255. In three dimensions ellipsoids, whose
 * third half axes and depths are those of the usual extension; they turn about z only. A sample is the mean of 4^D
 * points.
 *
 * \param[in] dimension 2 or 3
 * \param[in] size samples an axis */
Picture
SheppLogan(unsigned int dimension, std::int64_t size);

/** \brief Integral of the phantom over the square or cube from -1 to 1, in closed form. */
double
SheppLoganIntegral(unsigned int dimension);

/** \brief The zone plate 127.5 (1 + cos(pi f r^2 / R)): its local frequency rises linearly from 0 in the centre to f
 * at the distance R of half an edge, and to sqrt(D) f in the corners.
 *
 * \param[in] dimension 2 or 3
 * \param[in] size samples an axis
 * \param[in] frequency f, in periods a sample; 0.5 is the limit of sampling */
Picture
ZonePlate(unsigned int dimension, std::int64_t size, double frequency = 0.3);

/** \brief The value of the zone plate between samples.
 *
 * \param[in] dimension 2 or 3
 * \param[in] size as for ZonePlate()
 * \param[in] index continuous index, x first
 * \param[in] frequency as for ZonePlate() */
double
ZonePlateAt(unsigned int dimension, std::int64_t size, const double * index, double frequency = 0.3);

/** Standard deviation of the point-spread function of CtLike() (samples). */
inline constexpr double CtSpread = 0.8;
/** Standard deviation of the noise of CtLike() (Hounsfield units), as it is in the image. */
inline constexpr double CtNoise = 12.0;

/** \brief A body as a scanner shows it: soft tissue, lungs, bones and vessels, blurred by a Gaussian point-spread
 * function of CtSpread, with noise of CtNoise that the same function has correlated.
 *
 * \param[in] dimension 2 or 3
 * \param[in] size samples an axis, at least 16
 * \param[in] withNoise false: the blurred body alone */
Picture
CtLike(unsigned int dimension, std::int64_t size, bool withNoise = true);

/** \brief Uniform noise in [0, 255), without any relation between neighbours: the worst signal in use.
 *
 * \param[in] dimension 2 or 3
 * \param[in] size samples an axis */
Picture
Noise(unsigned int dimension, std::int64_t size);

/** Names that MakePhantom() knows. */
std::vector<std::string>
PhantomNames();

/** \brief A phantom by name: shepp-logan, zone-plate, ct or noise.
 *
 * \exception std::invalid_argument another name; the message lists the allowed ones */
Picture
MakePhantom(const std::string & name, unsigned int dimension, std::int64_t size);

#endif

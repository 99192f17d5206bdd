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
#ifndef Picture_h
#define Picture_h

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/** \brief Grey values of an image or a volume in host memory. */
struct Picture
{
  unsigned int                dimension{ 2 };
  std::array<std::int64_t, 3> size{ { 1, 1, 1 } }; ///< samples an axis, x first; 1 above the dimension
  std::vector<double>         values;              ///< x fastest

  /** \param[in] edges samples an axis: two or three of them
   * \param[in] value what all samples are */
  static Picture
  Of(const std::vector<std::int64_t> & edges, double value = 0.0);

  std::int64_t
  Count() const
  {
    return size[0] * size[1] * size[2];
  }

  /** Largest less smallest value. */
  double
  Range() const;
};

/** \brief Difference of two pictures, of the samples that a mask holds. */
struct Difference
{
  double       largest{ 0.0 };
  double       rms{ 0.0 };
  double       percentile{ 0.0 }; ///< the 99.9th of the absolute differences
  std::int64_t count{ 0 };        ///< samples that were looked at

  /** \param[in] one a picture
   * \param[in] other another one of the same size
   * \param[in] radius samples within this part of the half edge from the centre count: 1 is the inscribed disk or
   *   ball; 0: all of them
   * \exception std::invalid_argument sizes that differ */
  static Difference
  Between(const Picture & one, const Picture & other, double radius);
};

/** \brief Reads a PGM file, text (P2) or binary (P5), of 8 or 16 bits. A file of several images of one size, which the
 * format allows, is a volume.
 *
 * \param[in] path the file
 * \exception std::runtime_error a file that cannot be read or is not PGM; the message names it and the reason */
Picture
ReadPgm(const std::string & path);

/** \brief Writes a binary PGM file of 8 bits, or of 16 where the largest value is above 255: values rounded to the
 * nearest integer and limited to 0 and \p largest. A volume becomes a file of several images.
 *
 * \param[in] path the file
 * \param[in] picture what is written
 * \param[in] largest white, from 1 to 65535
 * \exception std::runtime_error a file that cannot be written */
void
WritePgm(const std::string & path, const Picture & picture, int largest = 255);

/** \brief Writes the real values of an image as a portable float map (Pf, little endian, last row first).
 *
 * \param[in] path the file
 * \param[in] picture an image, or the middle slice of a volume
 * \exception std::runtime_error a file that cannot be written */
void
WritePfm(const std::string & path, const Picture & picture);

#endif

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
#include "files/NiftiGeometry.h"

#include "itkCudaSpline/files/NiftiHeader.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>

namespace itk::CudaSpline
{

namespace
{

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>; ///< [row][column]

constexpr double degree = 57.295779513082320877;
constexpr double maxLength = 1e15; ///< mm; scanners have no larger numbers, and their squares overflow

/** A map from an index to a point, in mm along NIfTI's axes (RAS). */
struct Affine
{
  Matrix matrix{};
  Vector offset{};
};

[[noreturn]] void
Refuse(const std::string & message)
{
  throw std::invalid_argument(message);
}

double
Determinant(const Matrix & m)
{
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

Vector
Column(const Matrix & m, unsigned int axis)
{
  return { m[0][axis], m[1][axis], m[2][axis] };
}

void
SetColumn(Matrix & m, unsigned int axis, const Vector & column)
{
  for (unsigned int row = 0; row < 3; ++row)
  {
    m[row][axis] = column[row];
  }
}

double
Dot(const Vector & a, const Vector & b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vector
Cross(const Vector & a, const Vector & b)
{
  return { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
}

/** Returns the transposed inverse. */
Matrix
InverseTransposed(const Matrix & m)
{
  const double determinant = Determinant(m);
  Matrix       result;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    Vector column = Cross(Column(m, (axis + 1) % 3), Column(m, (axis + 2) % 3));
    for (double & number : column)
    {
      number /= determinant;
    }
    SetColumn(result, axis, column);
  }
  return result;
}

/** Returns the nearest orthonormal matrix (Frobenius norm): the factor of the polar decomposition, by Newton's
 * iteration, which doubles the number of correct digits in each step. */
Matrix
NearestOrthonormal(Matrix m)
{
  for (unsigned int iteration = 0; iteration < 100; ++iteration)
  {
    const Matrix other = InverseTransposed(m);
    double       change = 0.0;
    for (unsigned int row = 0; row < 3; ++row)
    {
      for (unsigned int column = 0; column < 3; ++column)
      {
        const double next = 0.5 * (m[row][column] + other[row][column]);
        change = std::max(change, std::abs(next - m[row][column]));
        m[row][column] = next;
      }
    }
    if (change < 1e-15)
    {
      break;
    }
  }
  return m;
}

/** Returns the largest deviation from a right angle between two axes, for columns of length 1. */
double
Shear(const Matrix & axes)
{
  double cosine = 0.0;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    cosine = std::max(cosine, std::abs(Dot(Column(axes, axis), Column(axes, (axis + 1) % 3))));
  }
  return std::asin(std::min(cosine, 1.0));
}

/** Returns the largest distance between the centres of corner voxels of two matrices in mm. */
double
DistanceAtCorners(const Affine & one, const Affine & other, const Vector & size)
{
  double largest = 0.0;
  for (unsigned int corner = 0; corner < 8; ++corner)
  {
    Vector distance;
    for (unsigned int row = 0; row < 3; ++row)
    {
      distance[row] = one.offset[row] - other.offset[row];
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        const double index = (corner >> axis & 1U) != 0 ? size[axis] - 1.0 : 0.0;
        distance[row] += (one.matrix[row][axis] - other.matrix[row][axis]) * index;
      }
    }
    largest = std::max(largest, std::sqrt(Dot(distance, distance)));
  }
  return largest;
}

/** Returns the spacings of a header in its own unit. */
Vector
SpacingsOf(const RawNiftiHeader & header, const Vector & size)
{
  Vector spacing;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    spacing[axis] = std::abs(header.pixdim[axis + 1]);
    const bool isValid = std::isfinite(spacing[axis]) && spacing[axis] > 0.0;
    if (!isValid && size[axis] > 1.0)
    {
      Refuse("pixdim[" + std::to_string(axis + 1) + "] (the spacing along " + "xyz"[axis] + ") is " +
             NumberText(header.pixdim[axis + 1]) + "; a finite number other than 0 is allowed");
    }
    spacing[axis] = isValid ? spacing[axis] : 1.0; // a single voxel may have any thickness
  }
  return spacing;
}

/** Returns method 2 of nifti1.h. */
Affine
Qform(const RawNiftiHeader & header, const Vector & size)
{
  const auto & [b, c, d] = header.quatern;
  for (unsigned int index = 0; index < 3; ++index)
  {
    if (!std::isfinite(header.quatern[index]))
    {
      Refuse(std::string("quatern_") + "bcd"[index] + " is " + NumberText(header.quatern[index]) +
             "; a finite number is allowed (qform_code is " + std::to_string(header.qformCode) + ")");
    }
    if (!std::isfinite(header.qoffset[index]))
    {
      Refuse(std::string("qoffset_") + "xyz"[index] + " is " + NumberText(header.qoffset[index]) +
             "; a finite number is allowed (qform_code is " + std::to_string(header.qformCode) + ")");
    }
  }
  const double     square = b * b + c * c + d * d;
  constexpr double rounding = 1e-4; // of texts with five digits; a larger deviation is a different matrix
  if (square > 1.0 + rounding)
  {
    Refuse("the quaternion (quatern_b, c, d) is " + NumberText(b) + ", " + NumberText(c) + ", " + NumberText(d) +
           "; the sum of their squares is " + NumberText(square) + ", and at most 1 is allowed");
  }
  const double length = square > 1.0 ? std::sqrt(square) : 1.0;
  const double x = b / length;
  const double y = c / length;
  const double z = d / length;
  const double w = std::sqrt(std::max(0.0, 1.0 - square));
  Affine       affine;
  affine.matrix = { { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                      { 2 * (x * y + w * z), w * w + y * y - x * x - z * z, 2 * (y * z - w * x) },
                      { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w + z * z - x * x - y * y } } };
  affine.offset = header.qoffset;
  const Vector spacing = SpacingsOf(header, size);
  for (Vector & row : affine.matrix)
  {
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      row[axis] *= spacing[axis] * (axis == 2 && header.pixdim[0] < 0.0 ? -1.0 : 1.0); // pixdim[0] is qfac
    }
  }
  return affine;
}

/** Returns method 3. */
Affine
Sform(const RawNiftiHeader & header, const Vector & size)
{
  Affine affine;
  for (unsigned int row = 0; row < 3; ++row)
  {
    for (unsigned int column = 0; column < 4; ++column)
    {
      const double number = header.srow[4 * row + column];
      if (!std::isfinite(number))
      {
        Refuse(std::string("srow_") + "xyz"[row] + "[" + std::to_string(column) + "] is " + NumberText(number) +
               "; a finite number is allowed (sform_code is " + std::to_string(header.sformCode) + ")");
      }
      (column < 3 ? affine.matrix[row][column] : affine.offset[row]) = number;
    }
  }
  // Some programs write a column of zeros for an axis with a single voxel.
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const Vector column = Column(affine.matrix, axis);
    const Vector first = Column(affine.matrix, (axis + 1) % 3);
    const Vector second = Column(affine.matrix, (axis + 2) % 3);
    Vector       normal = Cross(first, second);
    const double length = std::sqrt(Dot(normal, normal));
    if (size[axis] == 1.0 && Dot(column, column) == 0.0 && length > 0.0)
    {
      const double thickness = SpacingsOf(header, { 1.0, 1.0, 1.0 })[axis];
      for (double & number : normal)
      {
        number *= thickness / length;
      }
      SetColumn(affine.matrix, axis, normal);
    }
  }
  return affine;
}

/** Returns the difference at corners between a quaternion and a matrix due to rounding to float32, in mm. It includes
 * the rounding of the sum of squares, which is amplified in the fourth number near 180 degrees, and of spacings and
 * offsets. */
double
RoundingAtCorners(const RawNiftiHeader & header, const Affine & affine, const Vector & size)
{
  constexpr double rounding = 1.2e-7; // 2^-23
  const auto & [b, c, d] = header.quatern;
  const double w = std::sqrt(std::max(0.0, 1.0 - b * b - c * c - d * d));
  double       extent = 0.0;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const Vector column = Column(affine.matrix, axis);
    extent += std::sqrt(Dot(column, column)) * (size[axis] - 1.0);
  }
  const double angle = 2.0 * (rounding + rounding / std::max(w, std::sqrt(rounding)));
  return extent * (angle + rounding + negligibleNiftiShear) +
         2.0 * rounding * std::sqrt(Dot(affine.offset, affine.offset));
}

/** Warns if the qform of a header contradicts its sform. */
void
CompareWithQform(const RawNiftiHeader &     header,
                 const Affine &             sform,
                 const Vector &             size,
                 double                     unit,
                 std::vector<std::string> & warnings)
{
  const std::string taken = "the sform (code " + std::to_string(header.sformCode) + ") is taken; ";
  try
  {
    const Affine qform = Qform(header, size);
    const double distance = DistanceAtCorners(sform, qform, size);
    if (distance > RoundingAtCorners(header, sform, size))
    {
      warnings.push_back("its sform and its qform (code " + std::to_string(header.qformCode) + ") differ by up to " +
                         NumberText(distance * unit) + " mm; " + taken + "ITK 5.2 and ANTs may take the qform");
    }
  }
  catch (const std::invalid_argument & invalid)
  {
    warnings.push_back("its qform is invalid (" + std::string(invalid.what()) + "); " + taken +
                       "other programs may take the qform");
  }
}

/** Returns the unit of length in mm. */
double
LengthUnit(const RawNiftiHeader & header, std::vector<std::string> & warnings)
{
  switch (header.xyztUnits & 7)
  {
    case 1:
      return 1000.0;
    case 3:
      return 0.001;
    case 0: // unknown: mm by convention
    case 2:
      return 1.0;
    default:
      warnings.push_back("xyzt_units has the unit of length " + std::to_string(header.xyztUnits & 7) +
                         ", which NIfTI does not define; mm are taken");
      return 1.0;
  }
}

/** Returns the axes of an image. Sheared axes are refused or replaced. */
Matrix
MakeAxes(const Matrix & columns, const Vector & size, const char * name, std::vector<std::string> & warnings)
{
  const double determinant = Determinant(columns);
  if (!(std::abs(determinant) > 1e-9))
  {
    Refuse(std::string("its ") + name + " has no inverse: the determinant of its axes is " + NumberText(determinant));
  }
  const double shear = Shear(columns);
  if (shear > maxNiftiShear)
  {
    Refuse(std::string("its ") + name + " is sheared by " + NumberText(shear * degree) + " degrees; at most " +
           NumberText(maxNiftiShear * degree) +
           " are allowed (the axes of an image are at right angles; a shear that is meant belongs into a transform)");
  }
  if (shear <= negligibleNiftiShear)
  {
    return columns;
  }
  const Matrix nearest = NearestOrthonormal(columns);
  if (shear > silentNiftiShear)
  {
    const double voxels = DistanceAtCorners({ columns, {} }, { nearest, {} }, size);
    warnings.push_back(std::string("its ") + name + " is sheared by " + NumberText(shear * degree) +
                       " degrees; the nearest orthonormal matrix is taken, which moves corners by up to " +
                       NumberText(voxels) + " voxels");
  }
  return nearest;
}

} // namespace

std::string
NumberText(double number)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", number);
  return text;
}

NiftiGrid
MakeNiftiGrid(const RawNiftiHeader & header, bool isPlane, std::vector<std::string> & warnings)
{
  NiftiGrid grid;
  Vector    size;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const bool isThere = static_cast<std::int64_t>(axis) < header.dim[0];
    grid.size[axis] = isThere ? static_cast<std::uint64_t>(header.dim[axis + 1]) : 1;
    size[axis] = static_cast<double>(grid.size[axis]);
  }
  const double unit = LengthUnit(header, warnings);
  const char * name = "sform";
  Affine       affine;
  if (header.sformCode > 0)
  {
    affine = Sform(header, size);
    if (header.qformCode > 0)
    {
      CompareWithQform(header, affine, size, unit, warnings);
    }
  }
  else if (header.qformCode > 0)
  {
    name = "qform";
    affine = Qform(header, size);
  }
  else
  {
    name = "list of spacings (pixdim)"; // method 1
    const Vector spacing = SpacingsOf(header, size);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      affine.matrix[axis][axis] = spacing[axis];
    }
  }
  Matrix axes;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    Vector       column = Column(affine.matrix, axis);
    const double length = std::hypot(column[0], column[1], column[2]);
    grid.spacing[axis] = length * unit;
    if (!(grid.spacing[axis] > 1.0 / maxLength && grid.spacing[axis] < maxLength))
    {
      Refuse(std::string("its ") + name + " has a spacing of " + NumberText(grid.spacing[axis]) + " mm along " +
             "xyz"[axis] + "; more than 0, and less than 1e15 mm, is allowed");
    }
    for (double & number : column)
    {
      number /= length;
    }
    SetColumn(axes, axis, column);
  }
  axes = MakeAxes(axes, size, name, warnings);
  for (unsigned int row = 0; row < 3; ++row)
  {
    const double sign = row < 2 ? -1.0 : 1.0; // RAS to LPS
    grid.origin[row] = sign * affine.offset[row] * unit;
    if (!(std::abs(grid.origin[row]) < maxLength))
    {
      Refuse(std::string("its ") + name + " has an origin of " + NumberText(grid.origin[row]) + " mm along " +
             "xyz"[row] + "; less than 1e15 mm is allowed");
    }
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const double number = axes[row][axis];
      grid.direction[row][axis] = number == 0.0 ? 0.0 : sign * number; // avoids -0
    }
    grid.origin[row] += 0.0; // avoids -0
  }
  constexpr double parallel = 1e-4;
  if (isPlane && std::abs(axes[2][0]) < parallel && std::abs(axes[2][1]) < parallel)
  {
    grid.dimension = 2;
  }
  return grid;
}

void
SetNiftiGrid(const NiftiGrid & grid, RawNiftiHeader & header)
{
  Matrix axes; // RAS
  for (unsigned int row = 0; row < 3; ++row)
  {
    const double sign = row < 2 ? -1.0 : 1.0;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      axes[row][axis] = sign * grid.direction[row][axis];
      header.srow[4 * row + axis] = axes[row][axis] * grid.spacing[axis] + 0.0;
    }
    header.srow[4 * row + 3] = sign * grid.origin[row] + 0.0;
    header.qoffset[row] = header.srow[4 * row + 3];
    header.pixdim[row + 1] = grid.spacing[row];
  }
  header.pixdim[0] = 1.0;
  if (Determinant(axes) < 0.0)
  {
    header.pixdim[0] = -1.0;
    for (Vector & row : axes)
    {
      row[2] = -row[2];
    }
  }
  const Matrix r = NearestOrthonormal(axes);
  // Four times the squares of the numbers of the quaternion. The largest one is the divisor.
  const std::array<double, 4> squares{ 1 + r[0][0] + r[1][1] + r[2][2],
                                       1 + r[0][0] - r[1][1] - r[2][2],
                                       1 - r[0][0] + r[1][1] - r[2][2],
                                       1 - r[0][0] - r[1][1] + r[2][2] };
  const auto   largest = static_cast<std::size_t>(std::max_element(squares.begin(), squares.end()) - squares.begin());
  const double two = std::sqrt(squares[largest]); // twice that number
  std::array<double, 4> q{};                      // a, b, c, d
  q[largest] = 0.5 * two;
  const double bc = r[1][0] + r[0][1];
  const double bd = r[0][2] + r[2][0];
  const double cd = r[2][1] + r[1][2];
  const double ab = r[2][1] - r[1][2];
  const double ac = r[0][2] - r[2][0];
  const double ad = r[1][0] - r[0][1];
  switch (largest)
  {
    case 0:
      q = { q[0], ab / (2 * two), ac / (2 * two), ad / (2 * two) };
      break;
    case 1:
      q = { ab / (2 * two), q[1], bc / (2 * two), bd / (2 * two) };
      break;
    case 2:
      q = { ac / (2 * two), bc / (2 * two), q[2], cd / (2 * two) };
      break;
    default:
      q = { ad / (2 * two), bd / (2 * two), cd / (2 * two), q[3] };
  }
  const double sign = q[0] < 0.0 ? -1.0 : 1.0; // the first number is not stored, because it is not negative
  header.quatern = { sign * q[1] + 0.0, sign * q[2] + 0.0, sign * q[3] + 0.0 };
}

} // namespace itk::CudaSpline

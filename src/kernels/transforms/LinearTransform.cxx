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
#include "itkCudaSpline/kernels/transforms/LinearTransform.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
using Matrix = LinearTransform::Matrix;
using Vector = LinearTransform::Vector;

/** A rotation as a unit quaternion. */
struct Versor
{
  double x{ 0.0 };
  double y{ 0.0 };
  double z{ 0.0 };
  double w{ 1.0 };

  /** Returns the versor of a right part: the axis times the sine of half the angle. The angle is at most 180 degrees.
   */
  static Versor
  OfRightPart(const double * right)
  {
    const double square = right[0] * right[0] + right[1] * right[1] + right[2] * right[2];
    return { right[0], right[1], right[2], std::sqrt(std::max(0.0, 1.0 - square)) };
  }

  /** Returns the versor of a rotation vector: an axis times an angle. */
  static Versor
  OfTurn(const double * turn, double factor)
  {
    const double norm = std::sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
    if (norm == 0.0)
    {
      return {};
    }
    const double half = factor * norm / 2.0;
    const double scale = std::sin(half) / norm;
    return { turn[0] * scale, turn[1] * scale, turn[2] * scale, std::cos(half) };
  }

  /** Returns the versor of a rotation matrix, from the largest of its components, which avoids cancellation. */
  static Versor
  OfMatrix(const Matrix & m)
  {
    const double squares[4] = { 1.0 + m[0][0] - m[1][1] - m[2][2],
                                1.0 - m[0][0] + m[1][1] - m[2][2],
                                1.0 - m[0][0] - m[1][1] + m[2][2],
                                1.0 + m[0][0] + m[1][1] + m[2][2] };
    const auto   largest = std::max_element(squares, squares + 4) - squares;
    const double twice = std::sqrt(squares[largest]);
    const double s = 0.5 / twice;
    Versor       versor;
    if (largest == 3)
    {
      versor = { (m[2][1] - m[1][2]) * s, (m[0][2] - m[2][0]) * s, (m[1][0] - m[0][1]) * s, 0.5 * twice };
    }
    else if (largest == 0)
    {
      versor = { 0.5 * twice, (m[0][1] + m[1][0]) * s, (m[0][2] + m[2][0]) * s, (m[2][1] - m[1][2]) * s };
    }
    else if (largest == 1)
    {
      versor = { (m[0][1] + m[1][0]) * s, 0.5 * twice, (m[1][2] + m[2][1]) * s, (m[0][2] - m[2][0]) * s };
    }
    else
    {
      versor = { (m[0][2] + m[2][0]) * s, (m[1][2] + m[2][1]) * s, 0.5 * twice, (m[1][0] - m[0][1]) * s };
    }
    return versor.Upwards();
  }

  /** Returns the same rotation with a nonnegative scalar part, which the right part determines. */
  Versor
  Upwards() const
  {
    return w < 0.0 ? Versor{ -x, -y, -z, -w } : *this;
  }

  /** Returns the composition that applies another rotation first. */
  Versor
  After(const Versor & v) const
  {
    return { w * v.x - z * v.y + y * v.z + x * v.w,
             z * v.x + w * v.y - x * v.z + y * v.w,
             -y * v.x + x * v.y + w * v.z + z * v.w,
             -x * v.x - y * v.y - z * v.z + w * v.w };
  }

  Matrix
  GetMatrix() const
  {
    Matrix m{};
    m[0] = { 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w) };
    m[1] = { 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w) };
    m[2] = { 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y) };
    return m;
  }

  /** Returns the derivative of the matrix by a component of the right part. The scalar part depends on it. */
  Matrix
  GetSlope(std::size_t component) const
  {
    const double f = 2.0 / w;
    Matrix       m{};
    if (component == 0)
    {
      m[0] = { 0.0, f * (y * w + x * z), f * (z * w - x * y) };
      m[1] = { f * (y * w - x * z), f * (-2.0 * x * w), f * (x * x - w * w) };
      m[2] = { f * (z * w + x * y), f * (w * w - x * x), f * (-2.0 * x * w) };
    }
    else if (component == 1)
    {
      m[0] = { f * (-2.0 * y * w), f * (x * w + y * z), f * (w * w - y * y) };
      m[1] = { f * (x * w - y * z), 0.0, f * (z * w + x * y) };
      m[2] = { f * (y * y - w * w), f * (z * w - x * y), f * (-2.0 * y * w) };
    }
    else
    {
      m[0] = { f * (-2.0 * z * w), f * (z * z - w * w), f * (x * w - y * z) };
      m[1] = { f * (w * w - z * z), f * (-2.0 * z * w), f * (y * w + x * z) };
      m[2] = { f * (x * w + y * z), f * (y * w - x * z), 0.0 };
    }
    return m;
  }
};

/** Sines and cosines of angles about x, y and z. */
struct EulerAngles
{
  explicit EulerAngles(const double * angles)
    : cx(std::cos(angles[0]))
    , sx(std::sin(angles[0]))
    , cy(std::cos(angles[1]))
    , sy(std::sin(angles[1]))
    , cz(std::cos(angles[2]))
    , sz(std::sin(angles[2]))
  {}

  /** Returns the product of rotations about z, x and y. The rotation about y is applied first to a point. */
  Matrix
  GetMatrix() const
  {
    Matrix m{};
    m[0] = { cz * cy - sz * sx * sy, -sz * cx, cz * sy + sz * sx * cy };
    m[1] = { sz * cy + cz * sx * sy, cz * cx, sz * sy - cz * sx * cy };
    m[2] = { -cx * sy, sx, cx * cy };
    return m;
  }

  /** Returns the derivative of the matrix by an angle. */
  Matrix
  GetSlope(std::size_t axis) const
  {
    Matrix m{};
    if (axis == 0)
    {
      m[0] = { -sz * cx * sy, sz * sx, sz * cx * cy };
      m[1] = { cz * cx * sy, -cz * sx, -cz * cx * cy };
      m[2] = { sx * sy, cx, -sx * cy };
    }
    else if (axis == 1)
    {
      m[0] = { -cz * sy - sz * sx * cy, 0.0, cz * cy - sz * sx * sy };
      m[1] = { -sz * sy + cz * sx * cy, 0.0, sz * cy + cz * sx * sy };
      m[2] = { -cx * cy, 0.0, -cx * sy };
    }
    else
    {
      m[0] = { -sz * cy - cz * sx * sy, -cz * cx, -sz * sy + cz * sx * cy };
      m[1] = { cz * cy - sz * sx * sy, -sz * cx, cz * sy + sz * sx * cy };
    }
    return m;
  }

  double cx, sx, cy, sy, cz, sz;
};

/** Returns a rotation of the plane, multiplied with a number. */
Matrix
InPlaneRotation(double cosine, double sine)
{
  Matrix m{};
  m[0] = { cosine, -sine, 0.0 };
  m[1] = { sine, cosine, 0.0 };
  return m;
}

Matrix
Times(const Matrix & matrix, double factor)
{
  Matrix m = matrix;
  for (auto & row : m)
  {
    for (double & number : row)
    {
      number *= factor;
    }
  }
  return m;
}

} // namespace

LinearTransform::LinearTransform(LinearKind kind, unsigned int dimension, const Vector & centre)
  : m_Kind(kind)
  , m_Dimension(dimension)
  , m_Centre(centre)
{
  if (dimension != 2 && dimension != 3)
  {
    throw std::invalid_argument("Linear transforms must have 2 or 3 dimensions, not " + std::to_string(dimension) +
                                ".");
  }
  if (kind == LinearKind::Similarity)
  {
    m_Parameters[dimension == 2 ? 0 : 6] = 1.0;
  }
  for (unsigned int d = 0; d < dimension && kind == LinearKind::Affine; ++d)
  {
    m_Parameters[std::size_t{ d } * (dimension + 1)] = 1.0;
  }
  this->ComputeMatrix();
}

std::size_t
LinearTransform::CountParameters(LinearKind kind, unsigned int dimension)
{
  switch (kind)
  {
    case LinearKind::Translation:
      return dimension;
    case LinearKind::Rigid:
      return dimension == 2 ? 3 : 6;
    case LinearKind::Similarity:
      return dimension == 2 ? 4 : 7;
    default:
      return std::size_t{ dimension } * (dimension + 1);
  }
}

std::size_t
LinearTransform::FirstOfTranslation() const
{
  switch (m_Kind)
  {
    case LinearKind::Translation:
      return 0;
    case LinearKind::Rigid:
      return m_Dimension == 2 ? 1 : 3;
    case LinearKind::Similarity:
      return m_Dimension == 2 ? 2 : 3;
    default:
      return std::size_t{ m_Dimension } * m_Dimension;
  }
}

LinearTransform
LinearTransform::OfRotation(unsigned int   dimension,
                            const Matrix & rotation,
                            const Vector & centre,
                            const Vector & translation)
{
  LinearTransform transform(LinearKind::Rigid, dimension, centre);
  const Matrix &  m = rotation;
  Parameters      parameters{};
  if (dimension == 2)
  {
    parameters[0] = std::atan2(m[1][0], m[0][0]);
  }
  else
  {
    // See EulerAngles::GetMatrix(). If the cosine of the angle about x is 0, those about y and z describe the same
    // rotation.
    constexpr double smallest = 5e-5; // as in ITK
    const double     cosine = std::hypot(m[2][0], m[2][2]);
    parameters[0] = std::atan2(m[2][1], cosine);
    parameters[1] = cosine > smallest ? std::atan2(-m[2][0], m[2][2]) : std::atan2(m[0][2], m[0][0]);
    parameters[2] = cosine > smallest ? std::atan2(-m[0][1], m[1][1]) : 0.0;
  }
  std::copy_n(
    translation.begin(), dimension, parameters.begin() + static_cast<std::ptrdiff_t>(transform.FirstOfTranslation()));
  transform.SetParameters(parameters);
  return transform;
}

LinearTransform
LinearTransform::As(LinearKind kind) const
{
  if (kind < m_Kind)
  {
    throw std::invalid_argument(std::string("A transform of the kind ") + NameOf(m_Kind) +
                                " cannot be represented as " + NameOf(kind) + ".");
  }
  if (kind == m_Kind)
  {
    return *this;
  }
  LinearTransform other(kind, m_Dimension, m_Centre);
  Parameters &    to = other.m_Parameters;
  if (kind == LinearKind::Affine)
  {
    for (unsigned int r = 0; r < m_Dimension; ++r)
    {
      std::copy_n(m_Matrix[r].begin(), m_Dimension, to.begin() + std::size_t{ r } * m_Dimension);
    }
  }
  else if (m_Kind == LinearKind::Rigid) // to a similarity
  {
    if (m_Dimension == 2)
    {
      to[1] = m_Parameters[0];
    }
    else
    {
      const Versor versor = Versor::OfMatrix(m_Matrix);
      to[0] = versor.x;
      to[1] = versor.y;
      to[2] = versor.z;
    }
  }
  std::copy_n(m_Parameters.begin() + this->FirstOfTranslation(), m_Dimension, to.begin() + other.FirstOfTranslation());
  other.ComputeMatrix();
  return other;
}

void
LinearTransform::SetParameters(const Parameters & parameters)
{
  m_Parameters = {};
  std::copy_n(parameters.begin(), this->CountParameters(), m_Parameters.begin());
  if (m_Kind == LinearKind::Similarity && m_Dimension == 3)
  {
    constexpr double epsilon = 1e-10; // as in ITK
    const double     norm =
      std::sqrt(parameters[0] * parameters[0] + parameters[1] * parameters[1] + parameters[2] * parameters[2]);
    for (std::size_t i = 0; i < 3 && norm >= 1.0 - epsilon; ++i)
    {
      m_Parameters[i] = parameters[i] / (norm + epsilon * norm);
    }
  }
  this->ComputeMatrix();
}

void
LinearTransform::Update(const Parameters & change, double factor)
{
  Parameters        moved = m_Parameters;
  const std::size_t count = this->CountParameters();
  std::size_t       first = 0;
  if (m_Kind == LinearKind::Similarity && m_Dimension == 3)
  {
    const Versor turn = Versor::OfTurn(change.data(), factor);
    const Versor versor = Versor::OfRightPart(m_Parameters.data()).After(turn).Upwards();
    moved[0] = versor.x;
    moved[1] = versor.y;
    moved[2] = versor.z;
    first = 3;
  }
  for (std::size_t p = first; p < count; ++p)
  {
    moved[p] += change[p] * factor;
  }
  this->SetParameters(moved);
}

void
LinearTransform::ComputeMatrix()
{
  const double * const p = m_Parameters.data();
  switch (m_Kind)
  {
    case LinearKind::Translation:
      m_Matrix = {};
      for (unsigned int d = 0; d < m_Dimension; ++d)
      {
        m_Matrix[d][d] = 1.0;
      }
      break;
    case LinearKind::Rigid:
      m_Matrix = m_Dimension == 2 ? InPlaneRotation(std::cos(p[0]), std::sin(p[0])) : EulerAngles(p).GetMatrix();
      break;
    case LinearKind::Similarity:
      m_Matrix = m_Dimension == 2 ? InPlaneRotation(std::cos(p[1]) * p[0], std::sin(p[1]) * p[0])
                                  : Times(Versor::OfRightPart(p).GetMatrix(), p[6]);
      break;
    default:
      m_Matrix = {};
      for (unsigned int r = 0; r < m_Dimension; ++r)
      {
        std::copy_n(p + std::size_t{ r } * m_Dimension, m_Dimension, m_Matrix[r].begin());
      }
  }
}

LinearTransform::Vector
LinearTransform::GetTranslation() const
{
  Vector translation{};
  std::copy_n(m_Parameters.begin() + this->FirstOfTranslation(), m_Dimension, translation.begin());
  return translation;
}

LinearTransform::Vector
LinearTransform::GetOffset() const
{
  Vector offset = this->GetTranslation();
  for (unsigned int r = 0; r < m_Dimension && m_Kind != LinearKind::Translation; ++r)
  {
    offset[r] += m_Centre[r];
    for (unsigned int c = 0; c < m_Dimension; ++c)
    {
      offset[r] -= m_Matrix[r][c] * m_Centre[c];
    }
  }
  return offset;
}

LinearTransform::Vector
LinearTransform::Apply(const Vector & place) const
{
  const Vector offset = this->GetOffset();
  Vector       moved{};
  for (unsigned int r = 0; r < m_Dimension; ++r)
  {
    double sum = 0.0;
    for (unsigned int c = 0; c < m_Dimension; ++c)
    {
      sum += m_Matrix[r][c] * place[c];
    }
    moved[r] = sum + offset[r];
  }
  return moved;
}

LinearTransform::Slope
LinearTransform::GetSlope(std::size_t parameter) const
{
  Slope                slope;
  const double * const p = m_Parameters.data();
  const std::size_t    first = this->FirstOfTranslation();
  if (parameter >= first && parameter < first + m_Dimension)
  {
    slope.shift[parameter - first] = 1.0;
    return slope;
  }
  if (m_Kind == LinearKind::Affine)
  {
    slope.matrix[parameter / m_Dimension][parameter % m_Dimension] = 1.0;
  }
  else if (m_Kind == LinearKind::Rigid)
  {
    slope.matrix =
      m_Dimension == 2 ? InPlaneRotation(-std::sin(p[0]), std::cos(p[0])) : EulerAngles(p).GetSlope(parameter);
  }
  else if (m_Dimension == 2)
  {
    const double c = std::cos(p[1]);
    const double s = std::sin(p[1]);
    slope.matrix = parameter == 0 ? InPlaneRotation(c, s) : InPlaneRotation(-s * p[0], c * p[0]);
  }
  else
  {
    const Versor versor = Versor::OfRightPart(p);
    slope.matrix = parameter == 6 ? versor.GetMatrix() : Times(versor.GetSlope(parameter), p[6]);
  }
  return slope;
}

TransformChain::Stage
LinearTransform::MakeStage() const
{
  TransformChain::Stage stage;
  stage.matrix = m_Matrix;
  stage.offset = this->GetOffset();
  return stage;
}

} // namespace itk::CudaSpline

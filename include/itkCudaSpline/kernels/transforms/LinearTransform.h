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
#ifndef itkCudaSpline_kernels_transforms_LinearTransform_h
#define itkCudaSpline_kernels_transforms_LinearTransform_h

#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include <array>
#include <cstddef>

/** \file
 * \brief Linear transforms by few parameters, which a registration optimizes: those of ITK, in its order. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What a linear transform can do. Each kind holds what the ones before it can. */
enum class LinearKind : unsigned char
{
  Translation, ///< itk::TranslationTransform
  Rigid,       ///< itk::Euler2DTransform and itk::Euler3DTransform: rotations about z, x and y, the last one first
  Similarity,  ///< itk::Similarity2DTransform and itk::Similarity3DTransform: a rotation and one scale
  Affine       ///< itk::AffineTransform
};

/** \brief Name of a kind as in messages. */
constexpr const char *
NameOf(LinearKind kind)
{
  switch (kind)
  {
    case LinearKind::Translation:
      return "translation";
    case LinearKind::Rigid:
      return "rigid";
    case LinearKind::Similarity:
      return "similarity";
    default:
      return "affine";
  }
}

/** \brief A linear transform in 2 or 3 dimensions: T(x) = matrix (x - centre) + centre + translation (mm).
 *
 * Parameters are those of ITK's class of the kind, in its order:
 *
 * | kind | in 2 dimensions | in 3 dimensions |
 * |---|---|---|
 * | Translation | x, y | x, y, z |
 * | Rigid | angle, x, y | angles about x, y, z; x, y, z |
 * | Similarity | scale, angle, x, y | axis times sine of half the angle (x, y, z); x, y, z; scale |
 * | Affine | matrix by rows; x, y | matrix by rows; x, y, z |
 *
 * Angles are in radians, translations in mm. Places are in mm, x first. */
class LinearTransform
{
public:
  /** Most parameters that a transform has. */
  static constexpr std::size_t MostParameters = 12;
  using Parameters = std::array<double, MostParameters>; ///< those beyond CountParameters() are 0
  using Vector = TransformChain::Vector;                 ///< by axis, x first
  using Matrix = TransformChain::Matrix;                 ///< by row and column

  /** \brief How a parameter moves places: matrix (x - centre) + shift is the derivative of T(x) by it. */
  struct Slope
  {
    Matrix matrix{}; ///< by place (mm a unit of the parameter and mm)
    Vector shift{};  ///< at the centre (mm a unit of the parameter)
  };

  /** The identity.
   *
   * \param[in] kind what it can do
   * \param[in] dimension 2 or 3
   * \param[in] centre of rotations, scales and matrices (mm); of a translation it does not matter
   * \exception std::invalid_argument another dimension */
  LinearTransform(LinearKind kind, unsigned int dimension, const Vector & centre = {});

  /** \brief The rigid transform of a rotation.
   *
   * Its angle about x is from -90 to 90 degrees; where it is one of these the one about z is 0.
   *
   * \param[in] dimension 2 or 3
   * \param[in] rotation matrix of a rotation; in 2 dimensions the first two rows and columns
   * \param[in] centre, translation (mm)
   * \exception std::invalid_argument another dimension */
  static LinearTransform
  OfRotation(unsigned int dimension, const Matrix & rotation, const Vector & centre, const Vector & translation);

  /** \brief A transform that continues from this one, about the same centre.
   *
   * \param[in] kind what it can do
   * \exception std::invalid_argument a kind that does not hold what this one can */
  LinearTransform
  As(LinearKind kind) const;

  /** What it can do. */
  LinearKind
  GetKind() const
  {
    return m_Kind;
  }
  /** 2 or 3. */
  unsigned int
  GetDimension() const
  {
    return m_Dimension;
  }
  /** Centre (mm). */
  const Vector &
  GetCentre() const
  {
    return m_Centre;
  }
  /** Number of parameters. */
  std::size_t
  CountParameters() const
  {
    return CountParameters(m_Kind, m_Dimension);
  }
  /** Number of parameters of a kind. */
  static std::size_t
  CountParameters(LinearKind kind, unsigned int dimension);

  /** The parameters. */
  const Parameters &
  GetParameters() const
  {
    return m_Parameters;
  }
  /** \param[in] parameters the first CountParameters() count; an axis times sine of half an angle that is longer than 1
   * is cut to 1, as ITK does */
  void
  SetParameters(const Parameters & parameters);

  /** \brief Moves the parameters by a multiple of a change, as itk::Transform::UpdateTransformParameters() does.
   *
   * They are added up; but of Similarity in 3 dimensions the first three of a change are an axis times an angle, whose
   * rotation goes before this one.
   *
   * \param[in] change a number a parameter
   * \param[in] factor of it */
  void
  Update(const Parameters & change, double factor = 1.0);

  /** The matrix. */
  const Matrix &
  GetMatrix() const
  {
    return m_Matrix;
  }
  /** The translation (mm). */
  Vector
  GetTranslation() const;
  /** \brief What remains of T(x) at x = 0 (mm). */
  Vector
  GetOffset() const;
  /** T(x) (mm), rounded as ITK's: the sum along a row, then the offset. */
  Vector
  Apply(const Vector & place) const;
  /** How a parameter moves places.
   *
   * \param[in] parameter below CountParameters() */
  Slope
  GetSlope(std::size_t parameter) const;
  /** As a stage of a chain. */
  TransformChain::Stage
  MakeStage() const;

private:
  /** Index of the first translation among the parameters. */
  std::size_t
  FirstOfTranslation() const;
  void
  ComputeMatrix();

  LinearKind   m_Kind;
  unsigned int m_Dimension;
  Vector       m_Centre;
  Parameters   m_Parameters{};
  Matrix       m_Matrix{};
};

/** @} */
} // namespace itk::CudaSpline

#endif

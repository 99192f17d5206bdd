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
 * \brief Linear transforms with few parameters, which a registration optimizes: ITK's parameters in ITK's order. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The kinds of linear transforms. Each kind includes those before it. */
enum class LinearKind : unsigned char
{
  Translation, ///< itk::TranslationTransform
  /** itk::Euler2DTransform and itk::Euler3DTransform: rotations about z, x and y; a point is rotated about y first. */
  Rigid,
  Similarity, ///< itk::Similarity2DTransform and itk::Similarity3DTransform: a rotation and one scale
  Affine      ///< itk::AffineTransform
};

/** \brief Name of a kind in messages. */
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
 * Angles are in radians, translations in mm. Points are in mm, x first. */
class LinearTransform
{
public:
  /** Maximum number of parameters of a transform. */
  static constexpr std::size_t MaxParameters = 12;
  using Parameters = std::array<double, MaxParameters>; ///< those beyond CountParameters() are 0
  using Vector = TransformChain::Vector;                ///< by axis, x first
  using Matrix = TransformChain::Matrix;                ///< by row and column

  /** \brief The derivative of T(x) with respect to a parameter: matrix (x - centre) + shift. */
  struct Slope
  {
    Matrix matrix{}; ///< derivative by position (mm per unit of the parameter and mm)
    Vector shift{};  ///< derivative at the centre (mm per unit of the parameter)
  };

  /** The identity.
   *
   * \param[in] kind kind of the transform
   * \param[in] dimension 2 or 3
   * \param[in] centre of rotations, scales and matrices (mm); not used for translations
   * \exception std::invalid_argument another dimension */
  LinearTransform(LinearKind kind, unsigned int dimension, const Vector & centre = {});

  /** \brief The rigid transform with a given rotation.
   *
   * Its angle about x is from -90 to 90 degrees. At -90 and 90 degrees the angle about z is 0.
   *
   * \param[in] dimension 2 or 3
   * \param[in] rotation matrix of a rotation; in 2 dimensions the first two rows and columns
   * \param[in] centre, translation (mm)
   * \exception std::invalid_argument another dimension */
  static LinearTransform
  OfRotation(unsigned int dimension, const Matrix & rotation, const Vector & centre, const Vector & translation);

  /** \brief The same transform with another kind, about the same centre.
   *
   * \param[in] kind kind of the result
   * \exception std::invalid_argument a kind that does not include this one */
  LinearTransform
  As(LinearKind kind) const;

  /** Kind of the transform. */
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
  /** \param[in] parameters the first CountParameters() are used; an axis times sine of half an angle that is longer
   * than 1 is shortened to 1, as in ITK */
  void
  SetParameters(const Parameters & parameters);

  /** \brief Adds a multiple of a change to the parameters, as itk::Transform::UpdateTransformParameters() does.
   *
   * For Similarity in 3 dimensions the first three numbers of a change are an axis times an angle, whose rotation is
   * composed with the current one.
   *
   * \param[in] change one number per parameter
   * \param[in] factor factor of the change */
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
  /** \brief T(0) (mm). */
  Vector
  GetOffset() const;
  /** T(x) (mm), rounded as in ITK: the sum along a row, then the offset. */
  Vector
  Apply(const Vector & place) const;
  /** The derivative with respect to a parameter.
   *
   * \param[in] parameter below CountParameters() */
  Slope
  GetSlope(std::size_t parameter) const;
  /** The transform as a stage of a chain. */
  TransformChain::Stage
  MakeStage() const;

private:
  /** Index of the first translation parameter. */
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

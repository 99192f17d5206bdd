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
#ifndef LandmarkBodies_h
#define LandmarkBodies_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"

#include "kernels/fields/common/FieldLinear.h"
#include "kernels/fields/warping/ImageWarping.h"
#include "kernels/registration/forces/ForceSum.h"

#include <cmath>
#include <cstdint>
#include <vector>

/** \file
 * \brief Computations for each landmark, each node near a landmark, or each sample: bodies for host and device. */

namespace itk::CudaSpline
{

/** \brief A landmark whose moving point is mapped back through the transforms that follow the optimized one. */
struct LandmarkTarget
{
  double fixed[3]{};    ///< point of the fixed image (mm)
  double moving[3]{};   ///< point to which the optimized transform should map it (mm)
  double slope[3][3]{}; ///< derivatives of the following transforms at that point
  double share{ 1.0 };  ///< factor of its force: less than 1 if other landmarks are close

  /** Distance of a moved point from the target, in the space of the moving image (mm). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindDistance(unsigned int dimension, const double * moved, double (&distance)[3]) const
  {
    for (unsigned int r = 0; r < dimension; ++r)
    {
      distance[r] = 0.0;
      for (unsigned int c = 0; c < dimension; ++c)
      {
        distance[r] += slope[r][c] * (moved[c] - moving[c]);
      }
    }
  }
  /** The gradient of half the squared distance with respect to the mapped point. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  PullBack(unsigned int dimension, const double (&distance)[3], unsigned int axis) const
  {
    double sum = 0.0;
    for (unsigned int r = 0; r < dimension; ++r)
    {
      sum += slope[r][axis] * distance[r];
    }
    return sum;
  }
};

/** \brief The squared length of a vector. */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
SquaredLength(const double (&vector)[VDimension])
{
  double sum = 0.0;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    sum += vector[d] * vector[d];
  }
  return sum;
}

/** \brief Maps the moving point of a landmark back through the following transforms, with Newton's method.
 *
 * Derivatives are central differences over one sample, which are exact for affine maps. A step that does not reduce the
 * error is halved. */
template <unsigned int VDimension>
struct LandmarkPullBack
{
  static constexpr int Iterations = 40;

  LandmarkTarget *              targets;
  WarpStages<VDimension, false> stages;
  double                        half; ///< of the distance over which differences are taken (mm)
  FieldWalk                     walk; ///< landmarks

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    LandmarkTarget & own = targets[at[0]];
    double           point[VDimension];
    double           wanted[VDimension];
    double           error[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      wanted[d] = point[d] = own.moving[d];
    }
    this->FindError(point, wanted, error);
    double step = 1.0;
    for (int n = 0; n < Iterations && SquaredLength(error) > 0.0; ++n)
    {
      double change[VDimension];
      double next[VDimension];
      double left[VDimension];
      this->FindSlope(point, own.slope);
      this->Solve(own.slope, error, change);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        next[d] = point[d] + step * change[d];
      }
      this->FindError(next, wanted, left);
      const bool isCloser = SquaredLength(left) < SquaredLength(error);
      step = isCloser ? 1.0 : 0.5 * step;
      for (unsigned int d = 0; d < VDimension && isCloser; ++d)
      {
        point[d] = next[d];
        error[d] = left[d];
      }
    }
    this->FindSlope(point, own.slope);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      own.moving[d] = point[d];
    }
  }

private:
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindError(const double (&point)[VDimension], const double (&wanted)[VDimension], double (&error)[VDimension]) const
  {
    double moved[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] = point[d];
    }
    WalkStages(stages.following, stages.count, moved);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      error[d] = wanted[d] - moved[d];
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindSlope(const double (&point)[VDimension], double (&slope)[3][3]) const
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      double below[VDimension];
      double above[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        below[d] = above[d] = point[d];
      }
      below[c] -= half;
      above[c] += half;
      const double distance = above[c] - below[c];
      WalkStages(stages.following, stages.count, below);
      WalkStages(stages.following, stages.count, above);
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        slope[r][c] = (above[r] - below[r]) / distance;
      }
    }
  }

  /** Cramer's rule; for a singular matrix the right-hand side. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Solve(const double (&slope)[3][3], const double (&error)[VDimension], double (&change)[VDimension]) const
  {
    const double whole = Determinant(slope);
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      double replaced[3][3];
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        for (unsigned int k = 0; k < VDimension; ++k)
        {
          replaced[r][k] = k == c ? error[r] : slope[r][k];
        }
      }
      change[c] = whole != 0.0 ? Determinant(replaced) / whole : error[c];
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE static double
  Determinant(const double (&a)[3][3])
  {
    if constexpr (VDimension == 2)
    {
      return a[0][0] * a[1][1] - a[0][1] * a[1][0];
    }
    else
    {
      return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
             a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    }
  }
};

/** \brief Nodes of a cubic B-spline near a landmark: 4 along each axis. */
inline constexpr int MaxLandmarkNodes = 64;

/** \brief The nodes on which the displacement of a landmark depends. */
struct LandmarkSupport
{
  std::int32_t count{ 0 }; ///< number of nodes; 0 outside the spline's domain
  std::int64_t nodes[MaxLandmarkNodes];
  double       weights[MaxLandmarkNodes];
};

/** \brief Maps a landmark with a spline: its term, and the derivative with respect to its displacement. */
struct SplineLandmark
{
  const LandmarkTarget *  targets;
  const LandmarkSupport * supports;
  const double *          coefficients; ///< one plane per component
  std::int64_t            nodes;        ///< nodes of a plane
  std::uint32_t           dimension;
  double                  weight; ///< weight of a landmark
  double *                terms;  ///< one per landmark
  double *                slopes; ///< with respect to the displacement of each landmark, 3 numbers
  FieldWalk               walk;   ///< landmarks

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const LandmarkTarget &  own = targets[at[0]];
    const LandmarkSupport & support = supports[at[0]];
    double                  moved[3] = {};
    double                  distance[3] = {};
    for (std::uint32_t d = 0; d < dimension; ++d)
    {
      moved[d] = own.fixed[d];
      for (std::int32_t n = 0; n < support.count; ++n)
      {
        moved[d] += support.weights[n] * coefficients[d * nodes + support.nodes[n]];
      }
    }
    own.FindDistance(dimension, moved, distance);
    terms[at[0]] = weight * SquaredLength(distance);
    for (std::uint32_t d = 0; d < dimension; ++d)
    {
      slopes[at[0] * 3 + d] = 2.0 * weight * own.PullBack(dimension, distance, d);
    }
  }
};

/** \brief A landmark of a node, and the weight of the node. */
struct NodeLandmark
{
  std::int64_t landmark;
  double       weight;
};

/** \brief Adds the derivatives with respect to the coefficients of a node near landmarks, in the order of the
 * landmarks. */
struct LandmarkGradient
{
  const std::int64_t * touched; ///< the nodes
  const std::int64_t * first;   ///< first landmark of each node, and the end of the last one's
  const NodeLandmark * landmarks;
  const double *       slopes; ///< see SplineLandmark
  std::int64_t         nodes;  ///< nodes of a plane
  std::uint32_t        dimension;
  double *             gradient;
  FieldWalk            walk; ///< nodes near landmarks

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    for (std::uint32_t d = 0; d < dimension; ++d)
    {
      double sum = 0.0;
      for (std::int64_t n = first[at[0]]; n < first[at[0] + 1]; ++n)
      {
        sum += landmarks[n].weight * slopes[landmarks[n].landmark * 3 + d];
      }
      gradient[d * nodes + touched[at[0]]] += sum;
    }
  }
};

/** \brief The force of a landmark on the displacements of one image, between the samples of a level. */
struct LandmarkForce
{
  std::int64_t base[3]{};   ///< the sample below it, relative to the first one of the grid
  double       above[3]{};  ///< distance from that sample (samples)
  double       vector[3]{}; ///< 0 outside the grid
};

/** \brief Finds a landmark's points in the space where images are compared, and its forces there.
 *
 * A field maps the samples of that space to the points of an image: the point of a landmark is the one that its field
 * maps to the landmark. The force on the displacement of the moving image is at the fixed point, towards the moving
 * point. The force on that of the fixed image is at the moving point, in the opposite direction. */
template <unsigned int VDimension>
struct LandmarkPlacement
{
  static constexpr int Iterations = 40;

  const LandmarkTarget *     targets;
  GridGeometry<VDimension>   grid;
  TransformStage<VDimension> fixedField;  ///< may be the identity
  TransformStage<VDimension> movingField; ///< may be the identity
  double                     peak;        ///< length of a force that its Gaussian smooths to a length of 1
  LandmarkForce *            byMoving;
  LandmarkForce *            byFixed;
  double *                   squares; ///< squared distances in the moving image
  FieldWalk                  walk;    ///< landmarks

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const LandmarkTarget & own = targets[at[0]];
    double                 fixed[VDimension];
    double                 moving[VDimension];
    double                 moved[VDimension];
    double                 distance[3] = {};
    double                 way[VDimension];
    double                 back[VDimension];
    this->FindOrigin(fixedField, own.fixed, fixed);
    this->FindOrigin(movingField, own.moving, moving);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] = fixed[d];
    }
    movingField.Apply(moved);
    own.FindDistance(VDimension, moved, distance);
    squares[at[0]] = SquaredLength(distance);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      way[d] = moving[d] - fixed[d];
    }
    const double samples = std::sqrt(this->SquaredSamples(way));
    const double factor = peak * own.share / (samples > 1.0 ? samples : 1.0);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      way[d] *= factor;
      back[d] = -way[d];
    }
    byMoving[at[0]] = this->MakeForce(fixed, way);
    byFixed[at[0]] = this->MakeForce(moving, back);
  }

private:
  /** Finds the point that a field maps to a given one. The error is subtracted iteratively; a step that does not reduce
   * the error is halved. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindOrigin(const TransformStage<VDimension> & field, const double (&wanted)[3], double (&point)[VDimension]) const
  {
    double error[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      point[d] = wanted[d];
    }
    this->FindError(field, wanted, point, error);
    double step = 1.0;
    for (int n = 0; n<Iterations && this->SquaredSamples(error)> 1e-8; ++n)
    {
      double next[VDimension];
      double left[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        next[d] = point[d] + step * error[d];
      }
      this->FindError(field, wanted, next, left);
      const bool isCloser = SquaredLength(left) < SquaredLength(error);
      step = isCloser ? step : 0.5 * step;
      for (unsigned int d = 0; d < VDimension && isCloser; ++d)
      {
        point[d] = next[d];
        error[d] = left[d];
      }
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  FindError(const TransformStage<VDimension> & field,
            const double (&wanted)[3],
            const double (&point)[VDimension],
            double (&error)[VDimension]) const
  {
    double moved[VDimension];
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      moved[d] = point[d];
    }
    field.Apply(moved);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      error[d] = wanted[d] - moved[d];
    }
  }

  /** The squared length of a vector in samples. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  SquaredSamples(const double (&vector)[VDimension]) const
  {
    double square = 0.0;
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      double along = 0.0;
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        along += grid.pointToIndex[r][c] * vector[c];
      }
      square += along * along;
    }
    return square;
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE LandmarkForce
  MakeForce(const double (&point)[VDimension], const double (&vector)[VDimension]) const
  {
    LandmarkForce force;
    double        index[VDimension];
    grid.PointToContinuousIndex(point, index);
    if (!IsInsideBuffer(grid.extent, index))
    {
      return force;
    }
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const double below = std::floor(index[d]);
      force.base[d] = static_cast<std::int64_t>(below) - grid.extent.start[d];
      force.above[d] = index[d] - below;
      force.vector[d] = vector[d];
    }
    return force;
  }
};

/** \brief Distributes the forces of landmarks to the samples around them.
 *
 * A sample may be next to several landmarks. The first one of them adds all, in their order: the result does not depend
 * on threads. */
struct LandmarkScatter
{
  const LandmarkForce * forces;
  std::int64_t          count;
  FieldNumbers          field;
  std::uint32_t         dimension;
  FieldWalk             grid;
  FieldWalk             walk; ///< corners of the cells of all landmarks

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t own = at[0] >> dimension;
    std::int64_t       sample[3] = {};
    for (std::uint32_t d = 0; d < dimension; ++d)
    {
      sample[d] = forces[own].base[d] + (at[0] >> d & 1);
      if (sample[d] < 0 || sample[d] >= grid.size[d])
      {
        return;
      }
    }
    double sum[3] = {};
    for (std::int64_t n = 0; n < count; ++n)
    {
      const double weight = this->WeightOf(forces[n], sample);
      if (n == own ? !(weight > 0.0) : n < own && weight > 0.0)
      {
        return;
      }
      for (std::uint32_t d = 0; d < dimension && weight > 0.0; ++d)
      {
        sum[d] += weight * forces[n].vector[d];
      }
    }
    for (std::uint32_t d = 0; d < dimension; ++d)
    {
      field.Store(OffsetOf(grid, sample) * dimension + d, sum[d]);
    }
  }

private:
  /** The linear weight of a sample in a force. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  WeightOf(const LandmarkForce & force, const std::int64_t (&sample)[3]) const
  {
    double weight = 1.0;
    for (std::uint32_t d = 0; d < dimension; ++d)
    {
      const std::int64_t step = sample[d] - force.base[d];
      weight *= step == 0 ? 1.0 - force.above[d] : (step == 1 ? force.above[d] : 0.0);
    }
    return weight;
  }
};

/** \brief Adds a component of the landmarks' forces to that of the images' forces. */
struct LandmarkSum
{
  FieldNumbers   landmarks;
  FieldNumbers   sum;
  const double * maximum; ///< largest norm of the images' forces
  double         weight;
  FieldWalk      walk; ///< components of vectors

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t number = OffsetOf(walk, at);
    const double       factor = weight * (*maximum > 0.0 ? *maximum : 1.0);
    sum.Store(number, sum.Load(number) + factor * landmarks.Load(number));
  }
};

} // namespace itk::CudaSpline

#endif

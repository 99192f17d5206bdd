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
#ifndef LandmarkLevels_h
#define LandmarkLevels_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/transforms/TransformChain.h"

#include "kernels/registration/landmarks/LandmarkBodies.h"

#include <array>
#include <cstddef>
#include <vector>

/** \file
 * \brief The landmarks of a level of linear transforms, B-splines or displacement fields. */

namespace itk::CudaSpline
{

/** \brief Computes the targets of the landmarks of a level.
 *
 * \param[in] term the landmarks
 * \param[in] stages transforms that follow the optimized one, in the memory of the backend
 * \param[in] grid grid of the level
 * \param[in] residence memory of the backend
 * \return targets in host memory
 * \exception std::invalid_argument points that are not finite, or too many */
std::vector<LandmarkTarget>
MakeLandmarkTargets(const LandmarkTerm &                       term,
                    const std::vector<TransformChain::Stage> & stages,
                    const FieldGrid &                          grid,
                    const Residence &                          residence);

/** \brief Landmarks that a cubic B-spline of displacements maps. */
class SplineLandmarks
{
public:
  /** \param[in] term the landmarks
   * \param[in] spline grid of the B-spline
   * \param[in] stages, grid, residence see MakeLandmarkTargets()
   * \exception std::invalid_argument the spline is not cubic; see MakeLandmarkTargets() */
  SplineLandmarks(const LandmarkTerm &                       term,
                  const TransformChain::Stage &              spline,
                  const std::vector<TransformChain::Stage> & stages,
                  const FieldGrid &                          grid,
                  const Residence &                          residence);

  /** \brief Evaluates the term. The call waits.
   *
   * \param[in] coefficients one plane per axis (mm), in the memory of the backend
   * \param[in,out] gradient the gradient of the term is added to it; null: not computed */
  double
  Evaluate(const double * coefficients, double * gradient) const;

private:
  void
  ListNodes(const std::vector<LandmarkSupport> & supports);

  Residence        m_Residence;
  SplineLandmark   m_Points{};
  LandmarkGradient m_Nodes{};
  ResidentArray    m_Targets;
  ResidentArray    m_Supports;
  ResidentArray    m_Touched;
  ResidentArray    m_First;
  ResidentArray    m_Landmarks;
  ResidentArray    m_Terms;
  ResidentArray    m_Slopes;
};

/** \brief Landmarks between the images of a level, which displacement fields map. */
class FieldLandmarks
{
public:
  /** \param[in] term the landmarks
   * \param[in] shape shape of the fields
   * \param[in] stages, residence see MakeLandmarkTargets()
   * \param[in] comparisons maximum number of calls of Place() before the values of all are read */
  FieldLandmarks(const LandmarkTerm &                       term,
                 const FieldShape &                         shape,
                 const std::vector<TransformChain::Stage> & stages,
                 std::size_t                                comparisons,
                 const Residence &                          residence);

  /** \brief Finds the landmarks under the current fields, asynchronously.
   *
   * \param[in] fixedField,movingField fields that map the samples of the level to points of the images; null: the
   * identity
   * \param[in] comparison number of the comparison, from 0 */
  void
  Place(const void * fixedField, const void * movingField, std::size_t comparison);

  /** \brief Adds the forces of landmarks to that of images, asynchronously.
   *
   * \param[in] isByFixed for the displacements of the fixed image, else of the moving image
   * \param[in] shapeOfNorms shape of the force, with the spacing that measures lengths
   * \param[in,out] force force of the images
   * \param[out] scratch CountScratch() bytes */
  void
  Add(bool isByFixed, const FieldShape & shapeOfNorms, void * force, void * scratch) const;

  /** The value of the term in a comparison. The call waits. */
  double
  GetValue(std::size_t comparison) const;

  /** Bytes of scratch memory of Add(). */
  static std::size_t
  CountScratch(const FieldShape & shape, Backend backend);
  /** Bytes that an object allocates. \param[in] count number of landmarks */
  static std::size_t
  CountBytes(const FieldShape & shape, std::size_t count, std::size_t comparisons);

private:
  FieldShape                   m_Shape;
  Residence                    m_Residence;
  double                       m_Weight;
  std::size_t                  m_Count;
  ResidentArray                m_Targets;
  std::array<ResidentArray, 2> m_Forces; ///< by moving, by fixed
  ResidentArray                m_Squares;
  ResidentArray                m_Scattered;
  ResidentArray                m_Smooth;
  ResidentArray                m_Maximum; ///< largest norm, and its scratch memory
};

/** \brief The arguments of LandmarkPlacement, before its types are selected. */
struct LandmarkPlacementArguments
{
  FieldShape             shape;
  const LandmarkTarget * targets;
  std::size_t            count;
  const void *           fixedField;
  const void *           movingField;
  LandmarkForce *        byMoving;
  LandmarkForce *        byFixed;
  double *               squares;
};

/** \brief The walk through a list. */
inline FieldWalk
WalkOfList(std::size_t count)
{
  return { { static_cast<std::int64_t>(count), 1, 1 } };
}

/** \brief Calls \p enqueue with the body that maps landmarks back. */
template <typename TEnqueue>
void
WalkLandmarkPullBack(const FieldGrid &                          grid,
                     const std::vector<TransformChain::Stage> & stages,
                     LandmarkTarget *                           targets,
                     std::size_t                                count,
                     const TEnqueue &                           enqueue)
{
  const double half = 0.5 * *std::min_element(grid.spacing.begin(), grid.spacing.begin() + grid.dimension);
  DispatchField(grid.dimension, ScalarType::Float64, [&](auto compiled) {
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    enqueue(LandmarkPullBack<dimension>{
      targets, MakeWarpStages<dimension, false>(FieldGrid(), stages), half, WalkOfList(count) });
  });
}

/** \brief A field on a grid as a stage for bodies; null: the identity. */
template <unsigned int VDimension>
TransformStage<VDimension>
MakeLevelStage(const FieldShape & shape, const void * field)
{
  TransformChain::Stage identity;
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    identity.matrix[d].fill(0.0);
    identity.matrix[d][d] = 1.0;
  }
  return MakeStage<VDimension>(field != nullptr ? MakeFieldStage(shape, field) : identity, field);
}

/** \brief Calls \p enqueue with the body that finds forces. */
template <typename TEnqueue>
void
WalkLandmarkPlacement(const LandmarkPlacementArguments & arguments, const TEnqueue & enqueue)
{
  const FieldShape & shape = arguments.shape;
  DispatchField(shape.grid.dimension, ScalarType::Float64, [&](auto compiled) {
    constexpr unsigned int dimension = decltype(compiled)::Dimension;
    constexpr double       pi = 3.14159265358979323846;
    enqueue(LandmarkPlacement<dimension>{ arguments.targets,
                                          MakeGeometry<dimension>(shape.grid),
                                          MakeLevelStage<dimension>(shape, arguments.fixedField),
                                          MakeLevelStage<dimension>(shape, arguments.movingField),
                                          std::pow(2.0 * pi * LandmarkVariance, 0.5 * dimension),
                                          arguments.byMoving,
                                          arguments.byFixed,
                                          arguments.squares,
                                          WalkOfList(arguments.count) });
  });
}

/** \brief The bodies on a device. */
///@{
void
WalkLandmarkPullBackOnCuda(const FieldGrid &                          grid,
                           const std::vector<TransformChain::Stage> & stages,
                           LandmarkTarget *                           targets,
                           std::size_t                                count,
                           const Residence &                          residence);
void
WalkLandmarksOnCuda(const LandmarkPlacementArguments & arguments, const Residence & residence);
void
WalkLandmarksOnCuda(const LandmarkScatter & body, const Residence & residence);
void
WalkLandmarksOnCuda(const LandmarkSum & body, const Residence & residence);
void
WalkLandmarksOnCuda(const SplineLandmark & body, const Residence & residence);
void
WalkLandmarksOnCuda(const LandmarkGradient & body, const Residence & residence);
///@}

} // namespace itk::CudaSpline

#endif

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
#ifndef itkCudaSpline_kernels_registration_SplineRegistration_h
#define itkCudaSpline_kernels_registration_SplineRegistration_h

#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/Lbfgs.h"
#include "itkCudaSpline/kernels/registration/SamplePlaces.h"
#include "itkCudaSpline/kernels/registration/SplineLevel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/** \file
 * \brief Registration by a B-spline transform from the coarsest level to the finest. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief The options of a B-spline registration. */
struct SplineOptions
{
  std::vector<PyramidLevel> levels;              ///< from coarse to fine; iterations are evaluations, at most
  bool                      sigmasInMm{ false }; ///< of the levels
  LinearMetric              metric;              ///< how the images are compared; without places
  SampleRules               samples;             ///< which samples; all of them with MetricKind::LocalCorrelation
  /** Options of each level, except its evaluations. A step length of 0 is the level's least spacing (mm). */
  LbfgsRules         rules;
  SplineRegularizers regularizers; ///< of all levels
};

/** \brief Told of each evaluation; returns false to end the registration with the best coefficients. */
using SplineWatch = std::function<bool(std::size_t level, const LbfgsEvaluation & evaluation)>;

/** \brief A level that has ended. */
struct SplineRecord
{
  LbfgsStop    stop{ LbfgsStop::None }; ///< why; None if the watch stopped it
  unsigned int evaluations{ 0 };        ///< that were made, those before RunLevel() included
  double       value{ 0.0 };            ///< of the last evaluation; 0 where there was none
  double       best{ 0.0 };             ///< the lowest value; the largest double where no sample was valid
  double       fallRate{ 0.0 };         ///< at the end
  double       seconds{ 0.0 };          ///< that it took, smoothing included
  bool         isUndone{ false };       ///< without displacements the value is lower: coefficients are 0
  double       loss{ 0.0 };             ///< RelativeLoss() of that
};

/** \brief Cells of a B-spline's grid along each axis, x first; 1 or more. */
using SplineCells = std::array<std::int64_t, 3>;

/** \brief The cells of a level: half as many as the next level has, rounded up.
 *
 * \param[in] last those of the last level
 * \param[in] level its number
 * \param[in] levels of how many */
SplineCells
CellsOfLevel(const SplineCells & last, std::size_t level, std::size_t levels);

/** \brief Nodes of the cubic grid with some cells an axis over an image: from the centre of the first sample to that of
 * the last one, or over a sample's spacing where there is one alone.
 *
 * The domain is wider by a few roundings of the largest coordinate: itk::BSplineTransform moves no sample outside of
 * it, and the outermost ones lie within however their places are computed.
 *
 * \param[in] image its grid
 * \param[in] cells how many
 * \return a node a sample, the first one a cell before the image's first sample
 * \exception std::invalid_argument less than a cell */
FieldGrid
MakeSplineNodes(const FieldGrid & image, const SplineCells & cells);

/** \brief The stage of a B-spline transform without coefficients, on MakeSplineNodes(). */
TransformChain::Stage
MakeSplineGrid(const FieldGrid & image, const SplineCells & cells);

/** \brief A registration on one backend. */
class SplineRegistration
{
public:
  /** \param[in] fixed the fixed image as it came, with its mask; its stages are transforms before the spline
   * \param[in] moving the moving image; its stages are transforms after the spline
   * \param[in] options how
   * \param[in] residence where all of it is
   * \param[in] others additional pairs as they came, see LinearLevel
   * \exception std::invalid_argument no level, or local correlation of some samples */
  SplineRegistration(SynSide                 fixed,
                     SynSide                 moving,
                     const SplineOptions &   options,
                     const Residence &       residence,
                     std::vector<LinearPair> others = {});

  /** \brief Runs a level.
   *
   * \param[in] level its number
   * \param[in] spline grid and order of the transform at this level
   * \param[in,out] coefficients where it begins, and then the best ones (mm): a plane an axis, host memory. Where a
   * device fails they are the best that it has found, or, where it is lost, as they were
   * \param[in] watch called after each evaluation; may be empty. What it throws is thrown
   * \param[in] done evaluations that were made before, of those of the level
   * \param[in] isCompared whether coefficients of 0 are restored if their value is lower than that of the result
   * \exception std::invalid_argument images that are too small for their smoothing; as many coefficients as the grid
   * has not; what SplineLevel throws
   * \exception DeviceError the device failed */
  SplineRecord
  RunLevel(std::size_t                   level,
           const TransformChain::Stage & spline,
           std::vector<double> &         coefficients,
           const SplineWatch &           watch,
           unsigned int                  done = 0,
           bool                          isCompared = false) const;

  /** \brief Runs all levels, or those until the watch stops it, from no displacements.
   *
   * \param[in] cells of the last level over the fixed image; see CellsOfLevel()
   * \param[out] coefficients of the last level's grid (MakeSplineGrid()), a plane an axis (mm)
   * \param[in] watch see RunLevel()
   * \return those that were begun
   * \exception see RunLevel() */
  std::vector<SplineRecord>
  Run(const SplineCells & cells, std::vector<double> & coefficients, const SplineWatch & watch) const;

private:
  SynSide                 m_Fixed;
  SynSide                 m_Moving;
  SplineOptions           m_Options;
  Residence               m_Residence;
  std::vector<LinearPair> m_Others;
};

/** \brief The coefficients of the same displacements on another grid, as itk::BSplineTransformParametersAdaptor finds
 * them: those that interpolate the displacements at the new grid's nodes.
 *
 * \param[in] from grid and order of the spline; its axes are those of the other grid
 * \param[in] coefficients of it (mm), a plane an axis
 * \param[in] to the grid that is wanted, of order 3, of as many cells an axis or more: what it has beyond the other one
 * is mirrored, where ITK has no displacement
 * \param[in] dimension 2 or 3
 * \param[in] context whose threads of the host do it
 * \return a plane an axis
 * \exception std::invalid_argument grids whose axes are not the same, or a spline that is not of order 3 */
std::vector<double>
RefineSpline(const TransformChain::Stage & from,
             const std::vector<double> &   coefficients,
             const TransformChain::Stage & to,
             unsigned int                  dimension,
             const ExecutionContext &      context);

/** \brief Plans a level on a device, with the images as they came.
 *
 * \param[in] spline grid and order of the transform at this level
 * \param[in] fixed, moving grids of the images
 * \param[in] pixel of both
 * \param[in] options how
 * \param[in] level its number
 * \param[in] imageBytes of both images and their masks, as they came
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanSplineRegistration(const TransformChain::Stage & spline,
                       const FieldGrid &             fixed,
                       const FieldGrid &             moving,
                       ScalarType                    pixel,
                       const SplineOptions &         options,
                       std::size_t                   level,
                       std::size_t                   imageBytes,
                       std::size_t                   budget);

/** \brief Work of a level, of all evaluations that it may take.
 *
 * \param[in] spline grid and order of the transform at this level
 * \param[in] fixed, moving grids of the images
 * \param[in] options how
 * \param[in] level its number
 * \param[in] imageBytes of both images and their masks */
OperationWork
CountSplineRegistrationWork(const TransformChain::Stage & spline,
                            const FieldGrid &             fixed,
                            const FieldGrid &             moving,
                            const SplineOptions &         options,
                            std::size_t                   level,
                            std::size_t                   imageBytes);

/** @} */
} // namespace itk::CudaSpline

#endif

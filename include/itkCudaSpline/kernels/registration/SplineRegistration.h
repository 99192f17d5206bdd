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
 * \brief Registration with a B-spline transform from the coarsest level to the finest. */

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
  /** Options of each level, except its evaluations. A first step of 0 is the least spacing of the level (mm). */
  LbfgsRules   rules;
  Regularizers regularizers; ///< regularizers of all levels
  /** Of a level: a factor for each node (1/mm^2). The sum of the squared coefficients times their factors and the
   * magnitude of the first value of the level is added to the value. Empty: nothing is added. */
  std::vector<double> nodePenalties;
};

/** \brief Receives each evaluation. Returns false to stop the registration with the best coefficients. */
using SplineWatch = std::function<bool(std::size_t level, const LbfgsEvaluation & evaluation)>;

/** \brief The result of a level. */
struct SplineRecord
{
  LbfgsStop    stop{ LbfgsStop::None }; ///< why it stopped; None if the watch stopped it
  unsigned int evaluations{ 0 };        ///< number of evaluations, including those before RunLevel()
  double       value{ 0.0 };            ///< value of the last evaluation; 0 without evaluations
  double       best{ 0.0 };             ///< the lowest value; the largest double if no sample was valid
  double       fallRate{ 0.0 };         ///< FallRate at the end
  double       seconds{ 0.0 };          ///< duration, including smoothing
  bool         isUndone{ false };       ///< the value without displacements is lower: the coefficients were set to 0
  double       loss{ 0.0 };             ///< RelativeLoss() of the undone result
};

/** \brief Cells of a B-spline's grid along each axis, x first; 1 or more. */
using SplineCells = std::array<std::int64_t, 3>;

/** \brief The cells of a level: half as many as in the next level, rounded up.
 *
 * \param[in] last cells of the last level
 * \param[in] level its number
 * \param[in] levels number of levels */
SplineCells
CellsOfLevel(const SplineCells & last, std::size_t level, std::size_t levels);

/** \brief Nodes of the cubic grid with a number of cells per axis over an image. The cells extend from the centre of
 * the first sample to that of the last one, or over one spacing if the axis has a single sample.
 *
 * The domain is wider by a few roundings of the largest coordinate. itk::BSplineTransform moves no sample outside its
 * domain, and the outermost samples must be within it in spite of rounding.
 *
 * \param[in] image grid of the image
 * \param[in] cells cells per axis
 * \return one node per sample, the first one a cell before the image's first sample
 * \exception std::invalid_argument less than one cell */
FieldGrid
MakeSplineNodes(const FieldGrid & image, const SplineCells & cells);

/** \brief The stage of a B-spline transform without coefficients, on MakeSplineNodes(). */
TransformChain::Stage
MakeSplineGrid(const FieldGrid & image, const SplineCells & cells);

/** \brief A registration on one backend. */
class SplineRegistration
{
public:
  /** \param[in] fixed the original fixed image, with its mask; its stages are transforms before the spline
   * \param[in] moving the moving image; its stages are transforms after the spline
   * \param[in] options options
   * \param[in] residence memory of the backend, for all images
   * \param[in] others additional original pairs, see LinearLevel
   * \exception std::invalid_argument no level, or local correlation with a selection of samples */
  SplineRegistration(SynSide                 fixed,
                     SynSide                 moving,
                     const SplineOptions &   options,
                     const Residence &       residence,
                     std::vector<LinearPair> others = {});

  /** \brief Runs a level.
   *
   * \param[in] level its number
   * \param[in] spline grid and order of the transform at this level
   * \param[in,out] coefficients the initial coefficients, then the best ones (mm): one plane per axis, in host memory.
   * If a device fails they are the best ones found so far; if it is lost they are unchanged
   * \param[in] watch called after each evaluation; may be empty. Its exceptions are passed on
   * \param[in] done number of the level's evaluations that are already done
   * \param[in] isCompared whether coefficients of 0 are restored if their value is lower than that of the result
   * \exception std::invalid_argument images that are too small for their smoothing, a number of coefficients that does
   * not fit the grid, and the reasons of SplineLevel
   * \exception DeviceError the device failed */
  SplineRecord
  RunLevel(std::size_t                   level,
           const TransformChain::Stage & spline,
           std::vector<double> &         coefficients,
           const SplineWatch &           watch,
           unsigned int                  done = 0,
           bool                          isCompared = false) const;

  /** \brief Runs all levels, or until the watch stops the registration, from zero displacements.
   *
   * \param[in] cells cells of the last level over the fixed image; see CellsOfLevel()
   * \param[out] coefficients coefficients on the last level's grid (MakeSplineGrid()), one plane per axis (mm)
   * \param[in] watch see RunLevel()
   * \return the levels that were begun
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

/** \brief Coefficients of the same displacements on another grid, as in itk::BSplineTransformParametersAdaptor: they
 * interpolate the displacements at the new grid's nodes.
 *
 * \param[in] from grid and order of the spline; its axes are those of the other grid
 * \param[in] coefficients its coefficients (mm), one plane per axis
 * \param[in] to the new grid, of order 3, with at least as many cells per axis. Nodes outside the domain of \p from are
 * mirrored; ITK uses zero displacement there
 * \param[in] dimension 2 or 3
 * \param[in] context threads of the host
 * \return one plane per axis
 * \exception std::invalid_argument grids with different axes, or a spline that is not of order 3 */
std::vector<double>
RefineSpline(const TransformChain::Stage & from,
             const std::vector<double> &   coefficients,
             const TransformChain::Stage & to,
             unsigned int                  dimension,
             const ExecutionContext &      context);

/** \brief Plans the memory of a level on a device, with the original images.
 *
 * \param[in] spline grid and order of the transform at this level
 * \param[in] fixed, moving grids of the images
 * \param[in] pixel pixel type of both images
 * \param[in] options options
 * \param[in] level its number
 * \param[in] imageBytes bytes of both original images and their masks
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

/** \brief Work of a level, for the maximum number of evaluations.
 *
 * \param[in] spline grid and order of the transform at this level
 * \param[in] fixed, moving grids of the images
 * \param[in] options options
 * \param[in] level its number
 * \param[in] imageBytes bytes of both images and their masks */
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

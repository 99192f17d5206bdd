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
#ifndef itkCudaSpline_kernels_registration_DenseSearch_h
#define itkCudaSpline_kernels_registration_DenseSearch_h

#include "itkCudaSpline/kernels/common/CostModel.h"
#include "itkCudaSpline/kernels/common/MemoryPlan.h"
#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/metrics/FieldMetricOptions.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"
#include "itkCudaSpline/kernels/registration/RegistrationProgress.h"
#include "itkCudaSpline/math/ScalarType.h"

#include <cstddef>
#include <memory>

/** \file
 * \brief Registration with large displacements: all displacements of a cube are compared at each control point. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief Options of a dense search. Lengths are in samples of the axis with the smallest spacing; axes with a wider
 * spacing have about the same length in mm. */
struct DenseSearchOptions
{
  unsigned int spacing{ 4 }; ///< distance of adjacent control points, and width of the cells of features
  unsigned int radius{ 8 };  ///< largest displacement along each axis (steps): 2 radius + 1 are compared
  /** Distance of adjacent displacements. The step along each axis is the largest divisor of the spacing that is not
   * above it. */
  unsigned int          step{ 2 };
  unsigned int          passes{ 6 };      ///< of the coupled search after the first, independent one
  double                coupling{ 0.05 }; ///< weight of the squared distance from the mean of the neighbours (1/step^2)
  bool                  isSymmetric{ true }; ///< both images are searched, and the displacements made consistent
  SelfSimilarityOptions features;            ///< of both images

  static constexpr unsigned int MaxSpacing = 32; ///< samples
  static constexpr unsigned int MaxRadius = 16;  ///< steps
};

/** \brief A dense displacement search on one backend.
 *
 * The features of both images (MakeSelfSimilarity()) are averaged over cells. At each control point the cost of a
 * displacement is the mean squared difference of the cells that it connects, averaged over the control point and its
 * neighbours. The search minimizes the sum over all control points of
 * <tt>cost(v) + theta |v - u|^2</tt>, where u is the mean of v over neighbours (twice over 3 in each direction). It
 * alternates between both: v by comparison of all displacements, u by averaging. theta grows by sqrt(10) from pass to
 * pass up to \c coupling. The last u is interpolated linearly between the control points.
 *
 * A cell is valid if at least half of its samples are inside of the image and under its mask. A control point without a
 * valid cell follows its neighbours. A displacement to an invalid cell has the mean cost of the others.
 *
 * With \c isSymmetric the moving image is searched, too, and each of both fields becomes half its difference from the
 * other one at its end, 15 times.
 *
 * M. P. Heinrich, B. W. Papiez, J. A. Schnabel, H. Handels: Non-parametric discrete registration with convex
 * optimisation, WBIR 2014. H. Siebert, L. Hansen, M. P. Heinrich: Fast 3D registration with accurate optimisation and
 * little learning for Learn2Reg 2021.
 *
 * \par Accuracy
 * Features of cells are rounded to 1/255, costs to 1/65025. The same bits with any number of threads. Both backends
 * compute the same bits from the same features. */
class DenseSearch
{
public:
  /** \param[in] fixed the fixed image with its mask; its stages are transforms before the field
   * \param[in] moving the moving image; its stages are transforms after the field
   * \param[in] options options
   * \param[in] element type of the fields: Float32 or Float64
   * \param[in] residence memory of the backend
   * \exception std::invalid_argument an option or an image that is not supported
   * \exception DeviceError out of memory, or a lost device */
  DenseSearch(SynSide                    fixed,
              SynSide                    moving,
              const DenseSearchOptions & options,
              ScalarType                 element,
              const Residence &          residence);
  DenseSearch(const DenseSearch &) = delete;
  DenseSearch &
  operator=(const DenseSearch &) = delete;
  ~DenseSearch();

  /** \brief Searches. The value of a pass is the mean cost of its chosen displacements.
   *
   * \param[in] watch called after each pass of the search from the fixed image; may be empty
   * \return the passes as iterations of a level; a value of numeric_limits<double>::max() if no cell is valid
   * \exception DeviceError the device failed */
  LevelRecord
  Run(const RegistrationWatch & watch);

  /** \brief The field after Run(), and its inverse (FinalInversion()), on the grid of the fixed image.
   *
   * \param[out] forward vectors; null: not requested
   * \param[out] backward vectors; null: not requested
   * \param[in] element type of the components: Float32 or Float64
   * \param[in] memory memory of both; the call waits if it is the host's */
  void
  GetFields(void * forward, void * backward, ScalarType element, FieldMemory memory);

private:
  struct Impl;

  std::unique_ptr<Impl> m_Impl;
};

/** \brief Bytes of the costs of all displacements, the largest array of a search. */
double
CountDenseSearchCostBytes(const FieldGrid & fixed, const DenseSearchOptions & options);

/** \brief Plans the memory of a search on a device, with its images.
 *
 * \param[in] fixed grid of the fixed image
 * \param[in] pixel pixel type of the images
 * \param[in] element type of the fields
 * \param[in] imageBytes bytes of both images and their masks
 * \param[in] options options
 * \param[in] budget bytes that may be allocated (AvailableDeviceMemory()) */
MemoryPlan
PlanDenseSearch(const FieldGrid &          fixed,
                ScalarType                 pixel,
                ScalarType                 element,
                std::size_t                imageBytes,
                const DenseSearchOptions & options,
                std::size_t                budget);

/** \brief Work of a search.
 *
 * \param[in] fixed grid of the fixed image
 * \param[in] imageBytes bytes of both images and their masks
 * \param[in] options options */
OperationWork
CountDenseSearchWork(const FieldGrid & fixed, std::size_t imageBytes, const DenseSearchOptions & options);

/** @} */
} // namespace itk::CudaSpline

#endif

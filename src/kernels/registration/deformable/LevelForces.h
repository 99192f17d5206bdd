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
#ifndef itkCudaSpline_kernels_registration_LevelForces_h
#define itkCudaSpline_kernels_registration_LevelForces_h

#include "itkCudaSpline/kernels/fields/WarpImage.h"
#include "itkCudaSpline/kernels/metrics/LocalCorrelation.h"
#include "itkCudaSpline/kernels/registration/SynLevel.h"

#include "kernels/fields/sliding/FieldRegions.h"
#include "kernels/metrics/implementation/FieldMetric.h"
#include "kernels/registration/landmarks/LandmarkLevels.h"
#include "kernels/registration/forces/UpdateMoments.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

/** \file
 * \brief The common part of iterations of deformable registrations: two images on one grid, their metric and its
 * forces, and updates computed from these. */

namespace itk::CudaSpline
{

/** \brief The sums from which the value of a comparison is computed, in the memory of the backend. */
using LevelSums = FieldMetricSums;

/** \brief A list of one pair of images. */
std::vector<SynTerm>
MakeTerms(SynSide fixed, SynSide moving, const SynMetric & metric);

/** \brief Checks an image that fields of a registration warp, with its mask and stages.
 *
 * \exception std::invalid_argument one of them does not fit the fields, or the image has another pixel type */
void
CheckSide(const SynSide & side, const FieldShape & shape, ScalarType pixel);

/** \brief Describes the warp of an image to the grid of a field, by the field and the image's own stages.
 *
 * \param[in] field null: no field
 */
ImageWarp
DescribeMove(const SynSide & side, const FieldShape & shape, const void * field);

/** \brief Warps the mask of an image, if it has one, in the same way as the image. */
void
MoveMask(const SynSide & side, ImageWarp warp, void * output, const Residence & residence);

/** \brief The smoothing of a field: a spline if there is one, else a Gaussian, or no smoothing if its variance is 0. */
struct LevelSmoothing
{
  std::optional<FieldSplineFit> spline;
  double                        variance{ 0.0 }; ///< samples^2

  /** The smoothing of updates. */
  static LevelSmoothing
  OfUpdates(const SynRules & rules)
  {
    return { rules.updateSpline, rules.updateVariance };
  }
  /** The smoothing of total fields. */
  static LevelSmoothing
  OfTotals(const SynRules & rules)
  {
    return { rules.totalSpline, rules.totalVariance };
  }

  /** Whether a field is not smoothed. */
  bool
  IsNone() const
  {
    return !spline && !(variance > 0.0);
  }
  /** Additional bytes to those of its input and output. */
  std::size_t
  CountScratch(const FieldShape & shape, bool hasConfidence, Backend backend) const;
};

/** \brief The images of a pair. */
enum class LevelImage : unsigned char
{
  Fixed,
  Moving
};

/** \brief Rounds a number of bytes up, so that an array after it is aligned. */
constexpr std::size_t
AlignBytes(std::size_t bytes)
{
  constexpr std::size_t alignment = 256;
  return (bytes + alignment - 1) / alignment * alignment;
}

/** \brief How the steps of a level use its memory. */
struct LevelUse
{
  std::size_t  comparisons{ 1 };    ///< maximum number of calls of Compare() before the values of all are read
  unsigned int updates{ 0 };        ///< fields for forces, which become updates: 0 (the level has its own), 1 or 2
  bool         keepsFixed{ false }; ///< fixed images are warped once, not in each iteration
  LevelMemory  memory{ LevelMemory::Automatic };
};

/** \brief What determines the memory of a level. */
struct LevelSetup
{
  FieldShape             shape;
  std::vector<SynMetric> metrics; ///< of each pair of images
  ScalarType             pixel{ ScalarType::Float32 };
  Backend                backend{ Backend::Cuda };
  LevelUse               use; ///< the level sets all except the memory
  bool                   hasConfidence{ false };
  bool                   hasLandmarks{ false };
  bool                   hasRegions{ false };
  bool                   hasMasks{ false }; ///< only for CountBytes()
  bool                   isShared{ false }; ///< whether several devices share the arrays and the steps

  /** Bytes of a warped image. */
  std::size_t
  CountImageBytes() const;
  /** Number of pairs whose images are warped. */
  std::size_t
  CountMovedPairs() const;
  /** Whether the level uses as little memory as it can. */
  bool
  IsSmall() const;
  /** Whether fields may take turns in device memory. Landmarks and features read fields while forces are computed,
   * which take their places. */
  bool
  CanBePaged() const
  {
    return !hasLandmarks && this->CountMovedPairs() == metrics.size();
  }
  /** Whether fields take turns in device memory. */
  bool
  IsPaged() const
  {
    return use.memory == LevelMemory::Paged;
  }
  /** Whether a smoothing needs no second field. */
  bool
  SmoothsInPlace(const LevelSmoothing & smoothing) const;
};

/** \brief The memory that the steps of an iteration share, one after another: offsets in bytes.
 *
 * The arrays of a step begin where those that are no longer needed end; doc/architecture/Memory.md has the table. */
struct LevelLayout
{
  /** Forces are computed in one direction after the other: there is one update, and warped images are kept until the
   * second one. */
  bool        isByDirection{ false };
  std::size_t secondUpdate{ 0 };        ///< the update of the moving image; the first one is at 0
  std::size_t moved{ 0 };               ///< warped images: fixed, then moving
  std::size_t gradients{ 0 };           ///< gradients of a fixed image while images are compared
  std::size_t termForces{ 0 };          ///< forces of one of several pairs
  std::size_t scratchOfComparison{ 0 }; ///< scratch memory while images are compared
  std::size_t between{ 0 };             ///< an intermediate field of a later step
  std::size_t scratch{ 0 };             ///< scratch memory of later steps
  std::size_t bytes{ 0 };               ///< of all
  /** Where its arrays begin, except for the first: several devices divide each of them. */
  std::vector<std::size_t> starts;

  LevelLayout() = default;
  LevelLayout(const LevelSetup & setup, const SynRules & rules);
};

/** \brief Bytes of scratch memory of InvertField() with a method. */
std::size_t
CountInversionBytes(const FieldShape & shape, InversionMethod method);

/** \brief Pairs of images that fields warp to a grid, and their metrics there. */
class LevelForces
{
public:
  /** \param[in] landmarks landmarks whose forces are added
   * \param[in] use how the level uses the memory
   * \param[in] regions sliding regions of the fields
   * \exception std::invalid_argument images, masks, radii, bins or landmarks that do not fit; see SynLevel */
  LevelForces(const FieldShape &     shape,
              std::vector<SynTerm>   terms,
              const LandmarkTerm &   landmarks,
              const Residence &      residence,
              const LevelUse &       use,
              const SlidingRegions & regions = {});

  /** Warps the fixed images, and their masks. \param[in] field displacements; null: no field */
  void
  MoveFixed(const void * field);
  /** Warps the moving images, and their masks. */
  void
  MoveMoving(const void * field);

  /** Whether the fixed images were warped to memory that was not used for something else since then. */
  bool
  HasMovedFixed() const
  {
    return m_HasMovedFixed;
  }

  /** \brief Compares the warped images, and adds the forces of landmarks.
   *
   * \param[out] sums sums of the first pair, in the memory of the backend
   * \param[out] byMoving force on the displacements of the moving image; null: not computed
   * \param[out] byFixed force on those of the fixed image; null: not computed
   * \param[in] comparison number of the comparison, from 0 */
  void
  Compare(LevelSums * sums, void * byMoving, void * byFixed, std::size_t comparison = 0);

  /** Values of the first pair's metric, in ITK's convention: from the fixed to the moving image, and exchanged. The
   * largest double if no sample is valid.
   *
   * \param[in] sums in host memory, as written by Compare() */
  std::array<double, 2>
  ValuesOf(const LevelSums & sums) const;

  /** FieldMetric::FindCount() of the first pair. */
  const std::int64_t *
  FindCount(const LevelSums * sums) const
  {
    return m_Terms.front().metric->FindCount(sums);
  }

  /** The same for all pairs, as the weighted sum of their values, and for landmarks. The call waits if there are
   * several terms.
   *
   * \param[in] sums in host memory, as written by Compare()
   * \param[in] comparison its number */
  std::array<double, 2>
  WeightedValuesOf(const LevelSums & sums, std::size_t comparison = 0) const;

  /** Whether Compare() waits for the backend, or fields are copied from the host: such steps cannot be recorded. */
  bool
  Waits() const;

  /** Allocates the memory that rules need, before steps that use them and before images are warped.
   *
   * \exception DeviceError out of memory
   * \exception std::invalid_argument B-splines smooth fields with sliding regions */
  void
  Reserve(const SynRules & rules);

  /** The same for updates of an image's displacements. */
  void
  ReserveMoments(LevelImage image, const SynRules & rules);

  /** Weights of the samples from the warped masks; null: equal weights. */
  const void *
  Confidence(LevelImage image) const
  {
    const Pair & first = m_Terms.front();
    return (image == LevelImage::Fixed ? first.movedFixed : first.movedMoving).confidence.Data();
  }

  /** Smooths a field into another one, or copies it if there is no smoothing.
   *
   * \param[in,out] input the field, which may be overwritten
   * \param[in] confidence weights of the samples, for a spline; null: equal weights */
  void
  Smooth(void * input, const void * confidence, const LevelSmoothing & smoothing, void * output);

  /** \brief Turns a force into an update: smooths it, and applies the optimizer of the rules.
   *
   * \param[in] image image whose displacements the force changes
   * \param[in,out] force the force, which the update replaces
   * \param[in] rules smoothing, optimizer and step
   * \param[out] maximum largest norm of the smoothed force (samples), in the memory of the backend */
  void
  MakeUpdate(LevelImage image, void * force, const SynRules & rules, double * maximum);

  /** The same for forces with their own moments.
   *
   * \param[in] confidence weights of the samples, for a spline; null: equal weights
   * \param[in] moments moments of the optimizer, already allocated */
  void
  MakeUpdate(const void *          confidence,
             const UpdateMoments & moments,
             void *                force,
             const SynRules &      rules,
             double *              maximum);

  /** Composes a total field with an update, which maps a point first, within the sliding regions.
   *
   * \param[in] total the total field
   * \param[in,out] update the update, which the composed field replaces */
  void
  Compose(const void * total, void * update) const;

  /** Composes a total field with an update, which maps a point first, and smooths it.
   *
   * \param[in] update the update
   * \param[in,out] total half of a transform: the other image has the other half */
  void
  AddUpdate(const void * update, void * total, const SynRules & rules);

  /** Shortens an update whose determinants exceed the limit of the rules.
   *
   * \param[in] before field without the update
   * \param[in,out] after the field with the update, not smoothed; not in Scratch()
   * \param[in] largest largest determinant of the field; 0: no limit */
  void
  Limit(const void * before, void * after, double largest);

  /** Whether fields take turns in device memory; their updates, too, which are then not in this memory. */
  bool
  IsPaged() const
  {
    return m_Setup.IsPaged();
  }
  /** The memory of forces, which become updates. */
  void *
  Update(LevelImage image) const
  {
    return this->At(image == LevelImage::Moving ? m_Layout.secondUpdate : 0);
  }
  /** Whether forces are computed in one direction after the other; see LevelLayout. */
  bool
  IsByDirection() const
  {
    return m_Layout.isByDirection;
  }
  /** Memory for steps after comparisons. */
  void *
  Scratch() const
  {
    return this->At(m_Layout.scratch);
  }
  /** Memory for steps after all updates were added, such as InvertField(). */
  void *
  Whole() const
  {
    return this->At(0);
  }
  /** Memory for steps between iterations. It replaces that of the iterations, which is freed if it is too small.
   *
   * \param[in] bytes needed
   * \exception DeviceError out of memory */
  void *
  Borrow(std::size_t bytes);
  /** Number of allocations of the memory: recorded steps are valid for one. */
  int
  CountAllocations() const
  {
    return m_Allocations;
  }
  /** Grid and type of the fields. */
  const FieldShape &
  GetShape() const
  {
    return m_Shape;
  }
  /** The grid of the fields with the spacing that measures lengths of vectors: along the axes of the grid, as in ITK,
   * or of physical space if gradients follow the grid. */
  FieldShape
  ShapeOfNorms() const;
  /** The sliding regions of the fields. */
  const FieldRegions &
  GetRegions() const
  {
    return m_Regions;
  }
  /** The backend. */
  const Residence &
  GetResidence() const
  {
    return m_Residence;
  }

  /** Bytes of a level in addition to the images, fields and landmarks.
   *
   * \param[in] borrowed largest argument of Borrow() so far */
  static std::size_t
  CountBytes(const LevelSetup & setup, const SynRules & rules, std::size_t borrowed = 0);

private:
  /** A warped image. */
  struct Moved
  {
    std::size_t   number{ 0 }; ///< of the image among all
    ResidentArray mask;        ///< or the region inside the image, too
    ResidentArray confidence;
    /** At the samples, if original images are compared, or if Gaussians compute them. */
    ResidentArray               gradients;
    std::shared_ptr<const void> coefficients; ///< of the B-spline of the original image; null: linear interpolation
    ResidentArray               ownGradients; ///< at the pixels of the original image
  };

  /** A pair of images. */
  struct Pair
  {
    SynTerm                           term;
    std::optional<GaussianDescriptor> gaussian; ///< for gradients on the grid
    Moved                             movedFixed;
    Moved                             movedMoving;
    std::unique_ptr<FieldMetric>      metric;
  };

  Pair
  MakePair(SynTerm term, std::size_t number) const;
  Moved
  MakeMoved(const Pair & pair, const SynSide & side, std::size_t number) const;
  void
  Move(const Pair & pair, const SynSide & side, const void * field, const Moved & moved);
  void *
  At(std::size_t offset) const
  {
    return static_cast<char *>(m_Memory.Data()) + offset;
  }
  void *
  ImageOf(const Moved & moved) const
  {
    return this->At(m_Layout.moved + moved.number * m_Setup.CountImageBytes());
  }
  void
  Allocate(std::size_t bytes);
  /** Smooths a field in place, for a smoothing for which LevelSetup::SmoothsInPlace() is true. */
  void
  SmoothInPlace(void * field, const LevelSmoothing & smoothing);
  /** The warped images of a pair, with their gradients if they have any. */
  LocalCorrelationImages
  Present(const Pair & pair, bool withFixed);
  /** An original image of a pair, with the field that maps it. */
  UnmovedImage
  PresentUnmoved(const SynSide & side, const void * field) const;
  void
  ComparePair(Pair & pair, LevelSums * sums, void * byMoving, void * byFixed);
  void
  ComparePairs(LevelSums * sums, void * byMoving, void * byFixed, std::size_t comparison);

  FieldShape                   m_Shape;
  Residence                    m_Residence;
  FieldRegions                 m_Regions;
  bool                         m_ComparesOriginals{ false };
  std::vector<Pair>            m_Terms;
  const void *                 m_FixedField{ nullptr };  ///< field of the last MoveFixed()
  const void *                 m_MovingField{ nullptr }; ///< field of the last MoveMoving()
  bool                         m_HasMovedFixed{ false };
  LevelSetup                   m_Setup;
  LevelLayout                  m_Layout; ///< of m_Memory
  ResidentArray                m_Memory;
  int                          m_Allocations{ 0 }; ///< of m_Memory
  ResidentArray                m_Norms;            ///< for FindMaximumNorm()
  std::array<UpdateMoments, 2> m_Moments;          ///< indexed by LevelImage
  ResidentArray                m_Squares;   ///< squared lengths of the forces of several pairs, for each direction
  ResidentArray                m_OtherSums; ///< LevelSums of all pairs except the first, for each comparison

  std::optional<FieldLandmarks> m_Landmarks;
};

/** \brief Bytes of a level of SyN or greedy registration in addition to the images and landmarks. */
struct LevelBytes
{
  std::size_t iterations{ 0 }; ///< during the iterations
  std::size_t atEnd{ 0 };      ///< while the fields of the result are written to host memory; at least the former
};

/** \brief Counts the bytes of SyN. */
LevelBytes
CountSynBytes(LevelSetup setup, const SynRules & rules);

/** \brief Counts the bytes of greedy registration. */
LevelBytes
CountGreedyBytes(LevelSetup setup, const SynRules & rules);

/** \brief The steps of an iteration, which are recorded again if their rules or their memory change: recorded steps
 * include both. */
class RuledSteps
{
public:
  /** Runs the steps once.
   *
   * \param[in] rules rules of the steps
   * \param[in] forces forces that the steps use
   * \param[in] enqueue enqueues the steps; kept as long as the rules do not change */
  void
  Run(const SynRules & rules, const LevelForces & forces, const std::function<void(const SynRules &)> & enqueue)
  {
    m_HasBegun = forces.Waits();
    if (forces.Waits())
    {
      enqueue(rules);
      return;
    }
    if (!m_Steps || !(m_Rules == rules) || m_Allocations != forces.CountAllocations())
    {
      m_Rules = rules;
      m_Allocations = forces.CountAllocations();
      m_Steps.emplace([enqueue, rules] { enqueue(rules); });
    }
    m_Steps->Run(forces.GetResidence());
  }

  /** See RepeatedSteps::HasBegun(). */
  bool
  HasBegun() const
  {
    return m_HasBegun || (m_Steps && m_Steps->HasBegun());
  }

private:
  bool                         m_HasBegun{ false };
  int                          m_Allocations{ 0 };
  SynRules                     m_Rules;
  std::optional<RepeatedSteps> m_Steps;
};

} // namespace itk::CudaSpline

#endif

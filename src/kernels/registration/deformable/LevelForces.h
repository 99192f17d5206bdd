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
 * \brief What the iterations of deformable registrations share: two images on one grid, how they differ there, and the
 * step that is made of it. */

namespace itk::CudaSpline
{

/** \brief Where the value of a comparison comes from, in the memory of the backend. */
using LevelSums = FieldMetricSums;

/** \brief A list of one pair of images. */
std::vector<SynTerm>
MakeTerms(SynSide fixed, SynSide moving, const SynMetric & metric);

/** \brief Checks an image that a registration moves, with its mask and stages.
 *
 * \exception std::invalid_argument one of them does not fit the fields, or the image is not of that type of pixels */
void
CheckSide(const SynSide & side, const FieldShape & shape, ScalarType pixel);

/** \brief How an image is moved onto the grid of a field, by the field and its own stages.
 * \param[in] field null: none
 */
ImageWarp
DescribeMove(const SynSide & side, const FieldShape & shape, const void * field);

/** \brief Moves the mask of an image, where it has one, as the image is moved. */
void
MoveMask(const SynSide & side, ImageWarp warp, void * output, const Residence & residence);

/** \brief What smooths a field: a spline, where there is one, or else a Gaussian, unless its variance is 0. */
struct LevelSmoothing
{
  std::optional<FieldSplineFit> spline;
  double                        variance{ 0.0 }; ///< samples^2

  /** Of updates, as rules have it. */
  static LevelSmoothing
  OfUpdates(const SynRules & rules)
  {
    return { rules.updateSpline, rules.updateVariance };
  }
  /** For total fields. */
  static LevelSmoothing
  OfTotals(const SynRules & rules)
  {
    return { rules.totalSpline, rules.totalVariance };
  }

  /** Whether a field stays as it is. */
  bool
  IsNone() const
  {
    return !spline && !(variance > 0.0);
  }
  /** Bytes that it takes in addition to its input and output. */
  std::size_t
  CountScratch(const FieldShape & shape, bool hasConfidence, Backend backend) const;
};

/** \brief An image of each pair. */
enum class LevelImage : unsigned char
{
  Fixed,
  Moving
};

/** \brief Pairs of images that fields move onto a grid, and how they differ there. */
class LevelForces
{
public:
  /** \param[in] landmarks whose forces are added
   * \param[in] comparisons maximum number of calls of Compare() before the values of all are read
   * \exception std::invalid_argument images, masks, radii, bins or landmarks that do not fit; see SynLevel */
  LevelForces(const FieldShape &   shape,
              std::vector<SynTerm> terms,
              const LandmarkTerm & landmarks,
              const Residence &    residence,
              std::size_t          comparisons = 1);

  /** Moves the fixed images, and their masks. \param[in] field displacements; null: none */
  void
  MoveFixed(const void * field);
  /** Moves the moving images, and their masks. */
  void
  MoveMoving(const void * field);

  /** \brief Compares the images as they were moved, and adds the forces of landmarks.
   *
   * \param[out] sums of the first pair; memory of the backend
   * \param[out] byMoving force on the displacements of the moving image
   * \param[out] byFixed force on those of the fixed one; null: not wanted
   * \param[in] comparison number of the comparison, from 0 */
  void
  Compare(LevelSums * sums, void * byMoving, void * byFixed, std::size_t comparison = 0);

  /** Values of the first pair's metric, as ITK's has it: from the fixed to the moving image, and exchanged. The largest
   * double where no sample is valid.
   *
   * \param[in] sums in host memory, as Compare() wrote them */
  std::array<double, 2>
  ValuesOf(const LevelSums & sums) const;

  /** The same of all pairs, as the sum of their values times their weights, and of landmarks; waits where there are
   * several terms.
   *
   * \param[in] sums in host memory, as Compare() wrote them
   * \param[in] comparison its number */
  std::array<double, 2>
  WeightedValuesOf(const LevelSums & sums, std::size_t comparison = 0) const;

  /** Whether Compare() waits for the backend. */
  bool
  Waits() const;

  /** Makes room for what rules ask for, before steps that go by them. \exception DeviceError out of memory */
  void
  Reserve(const SynRules & rules);

  /** The same for updates of an image's displacements. */
  void
  ReserveMoments(LevelImage image, const SynRules & rules);

  /** How much samples count as the masks were moved; null: alike. */
  const void *
  Confidence(LevelImage image) const
  {
    const Pair & first = m_Terms.front();
    return (image == LevelImage::Fixed ? first.movedFixed : first.movedMoving).confidence.Data();
  }

  /** Smooths a field into another one, or copies it where it stays as it is.
   *
   * \param[in] confidence of the samples, for a spline; null: they count alike */
  void
  Smooth(const void * input, const void * confidence, const LevelSmoothing & smoothing, void * output);

  /** \brief Makes an update of a force: smoothed, with the optimizer of the rules.
   *
   * \param[in] image whose displacements the force is for
   * \param[in,out] force that the update replaces
   * \param[in] rules smoothing, optimizer and step
   * \param[out] maximum norm of the smoothed force (samples); memory of the backend */
  void
  MakeUpdate(LevelImage image, void * force, const SynRules & rules, double * maximum);

  /** The same of forces with moments of their own.
   *
   * \param[in] confidence of the samples, for a spline; null: they count alike
   * \param[in] moments of the optimizer, reserved */
  void
  MakeUpdate(const void *          confidence,
             const UpdateMoments & moments,
             void *                force,
             const SynRules &      rules,
             double *              maximum);

  /** Composes a total field with an update, which goes first, and smooths it.
   *
   * \param[in] update what is added
   * \param[in,out] total half of a transform: the other image has the other half */
  void
  AddUpdate(const void * update, void * total, const SynRules & rules);

  /** Shortens an update whose determinants the rules do not allow.
   *
   * \param[in] before field without the update
   * \param[in,out] after the field with it, not smoothed; not in Scratch()
   * \param[in] largest determinant of the field; 0: any */
  void
  Limit(const void * before, void * after, double largest);

  /** Memory for steps that come between, InvertField()'s among them. */
  void *
  Scratch() const
  {
    return m_Scratch.Data();
  }
  /** Grid and type of the fields. */
  const FieldShape &
  GetShape() const
  {
    return m_Shape;
  }
  /** The grid of the fields with the spacing that lengths of vectors are measured by: along the axes of the grid, which
   * is ITK's rule, or of space, where gradients follow the grid. */
  FieldShape
  ShapeOfNorms() const;
  /** Where it is. */
  const Residence &
  GetResidence() const
  {
    return m_Residence;
  }

  /** Bytes of a device that it takes, in addition to the images and landmarks. */
  static std::size_t
  CountBytes(const FieldShape &             shape,
             const std::vector<SynMetric> & metrics,
             const SynRules &               rules,
             ScalarType                     pixel);

private:
  /** An image as it was moved. */
  struct Moved
  {
    ResidentArray               image;
    ResidentArray               mask; ///< or what is inside of the image, too
    ResidentArray               confidence;
    ResidentArray               gradients; ///< at the samples, where images are compared as they are, or by Gaussians
    std::shared_ptr<const void> coefficients; ///< of the B-spline of the image as it is; null: it is linear
    ResidentArray               ownGradients; ///< at the pixels of the image itself
  };

  /** A pair of images. */
  struct Pair
  {
    SynTerm                           term;
    std::optional<GaussianDescriptor> gaussian; ///< of gradients on the grid
    Moved                             movedFixed;
    Moved                             movedMoving;
    std::unique_ptr<FieldMetric>      metric;
  };

  Pair
  MakePair(SynTerm term) const;
  Moved
  MakeMoved(const Pair & pair, const SynSide & side) const;
  void
  Move(const Pair & pair, const SynSide & side, const void * field, const Moved & moved);
  /** Memory of a field that stands between two steps. */
  void *
  Between() const
  {
    return m_Between.Data() != nullptr ? m_Between.Data() : m_Scratch.Data();
  }
  /** The images of a pair as they were moved, with their gradients where they have any. */
  LocalCorrelationImages
  Present(const Pair & pair, bool withFixed);
  /** An image of a pair as it is, with the field that moves it. */
  UnmovedImage
  PresentUnmoved(const SynSide & side, const void * field) const;
  void
  ComparePair(Pair & pair, LevelSums * sums, void * byMoving, void * byFixed);
  void
  ComparePairs(LevelSums * sums, void * byMoving, void * byFixed, std::size_t comparison);

  FieldShape                   m_Shape;
  Residence                    m_Residence;
  bool                         m_ComparesOriginals{ false };
  std::vector<Pair>            m_Terms;
  const void *                 m_FixedField{ nullptr };  ///< of the last MoveFixed()
  const void *                 m_MovingField{ nullptr }; ///< of the last MoveMoving()
  ResidentArray                m_Scratch;                ///< of gradients, sums, smoothing and inversion
  ResidentArray                m_Between;    ///< a field, where steps between two of them take the scratch; or none
  ResidentArray                m_Norms;      ///< of FindMaximumNorm()
  std::array<UpdateMoments, 2> m_Moments;    ///< by LevelImage
  std::array<ResidentArray, 2> m_TermForces; ///< of one of several pairs
  ResidentArray                m_Squares;    ///< of the lengths of forces of several pairs, by direction
  ResidentArray                m_OtherSums;  ///< LevelSums of all pairs but the first, of each comparison

  std::optional<FieldLandmarks> m_Landmarks;
};

/** \brief The steps of an iteration, made anew where their rules change: what was recorded has them in it. */
class RuledSteps
{
public:
  /** Does the steps once.
   *
   * \param[in] rules what they go by
   * \param[in] forces that are among them
   * \param[in] enqueue does them; kept as long as the rules stay */
  void
  Run(const SynRules & rules, const LevelForces & forces, const std::function<void(const SynRules &)> & enqueue)
  {
    m_HasBegun = forces.Waits();
    if (forces.Waits()) // what waits cannot be recorded
    {
      enqueue(rules);
      return;
    }
    if (!m_Steps || !(m_Rules == rules))
    {
      m_Rules = rules;
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
  SynRules                     m_Rules;
  std::optional<RepeatedSteps> m_Steps;
};

} // namespace itk::CudaSpline

#endif

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
#ifndef CudaSplineRegister_RotationSearch_hxx
#define CudaSplineRegister_RotationSearch_hxx

#include "RotationSearch.h"

#include "Error.h"

#include "itkImageMaskSpatialObject.h"
#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace CudaSplineRegister
{

/** \brief Coarse images, rotations, and how well each lays one image over the other. */
template <typename TPixel, unsigned int VDimension>
class RotationSearchOf
{
public:
  using Inputs = SearchInputs<TPixel, VDimension>;
  using ImageType = itk::Image<TPixel, VDimension>;
  using Linear = itk::MatrixOffsetTransformBase<double, VDimension, VDimension>;
  using Matrix = typename Linear::MatrixType;
  using Vector = typename Linear::OutputVectorType;
  using Point = typename Linear::InputPointType;

  /** A rotation about the centre and a translation, and the mutual information of what they lay over each other. */
  struct Pose
  {
    Matrix matrix;
    Vector translation;
    double information{ 0.0 };
  };

  /** \param[in] isBrief three voxels an axis are looked at in each coarse one, and the masks in its middle alone */
  RotationSearchOf(const Inputs & inputs, const Linear * start, bool isBrief = false)
    : m_Start(start)
    , m_Fixed(MakeCoarse(inputs.fixed, inputs.fixedMask, isBrief))
    , m_Moving(MakeCoarse(inputs.moving, inputs.movingMask, isBrief))
  {
    double spacing = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      spacing = std::max(spacing, m_Fixed.spacing[d]);
    }
    m_Step = spacing;
    m_FixedBins.resize(m_Fixed.values.size());
    std::array<double, bins> parts{};
    for (std::size_t n = 0; n < m_FixedBins.size(); ++n)
    {
      m_FixedBins[n] = BinOf(m_Fixed, m_Fixed.values[n]);
      parts[m_FixedBins[n]] += 1.0 / static_cast<double>(m_FixedBins.size());
    }
    m_FixedEntropy = Entropy(parts.data(), bins);
  }

  /** The best pose, and how much of the fixed image's entropy it explains. */
  Pose
  Find(double & explained) const
  {
    std::vector<Pose> poses = this->MakePoses();
    const auto        threader = itk::MultiThreaderBase::New();
    threader->ParallelizeArray(
      0, poses.size(), [&](itk::SizeValueType n) { poses[n].information = this->Judge(poses[n]); }, nullptr);
    const auto isBetter = [](const Pose & a, const Pose & b) { return a.information > b.information; };
    std::stable_sort(poses.begin(), poses.end(), isBetter);
    constexpr std::size_t refined = 16;
    poses.resize(std::min(poses.size(), refined));
    threader->ParallelizeArray(
      0, poses.size(), [&](itk::SizeValueType n) { this->Refine(poses[n]); }, nullptr);
    std::stable_sort(poses.begin(), poses.end(), isBetter);
    explained = m_FixedEntropy > 0.0 ? poses.front().information / m_FixedEntropy : 0.0;
    return poses.front();
  }

  /** Whether the images can belong to each other under any transform. */
  Agreement
  Agree(const itk::Transform<double, VDimension, VDimension> * transform) const
  {
    std::vector<double>                    joint(static_cast<std::size_t>(bins) * bins, 0.0);
    std::array<std::ptrdiff_t, VDimension> index{};
    std::size_t                            all = 0;
    std::size_t                            inside = 0;
    // A mask of a few voxels may lie between all coarse ones: then it is the image that is looked at.
    const bool isMasked =
      std::find(m_Fixed.isUnderMask.begin(), m_Fixed.isUnderMask.end(), true) != m_Fixed.isUnderMask.end();
    for (std::size_t n = 0; n < m_Fixed.values.size(); ++n)
    {
      typename Linear::OutputVectorType steps;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        steps[d] = static_cast<double>(index[d]);
      }
      const Vector way = m_Moving.indexOfPoint *
                         (transform->TransformPoint(m_Fixed.first + m_Fixed.pointOfIndex * steps) - m_Moving.first);
      std::array<double, VDimension> place{};
      bool                           isInside = true;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        place[d] = way[d];
        isInside = isInside && way[d] >= -0.5 && way[d] <= static_cast<double>(m_Moving.size[d]) - 0.5;
      }
      if (m_Fixed.isUnderMask[n] || !isMasked)
      {
        ++all;
        inside += isInside ? 1 : 0;
      }
      joint[m_FixedBins[n] * bins + BinOf(m_Moving, this->ValueAt(place))] += 1.0;
      for (unsigned int d = 0; d < VDimension && ++index[d] == m_Fixed.size[d]; ++d)
      {
        index[d] = 0;
      }
    }
    const auto               count = static_cast<double>(m_Fixed.values.size());
    std::array<double, bins> moving{};
    std::array<double, bins> fixed{};
    for (std::size_t n = 0; n < joint.size(); ++n)
    {
      joint[n] /= count;
      moving[n % bins] += joint[n];
      fixed[n / bins] += joint[n];
    }
    const auto occupied = [](const auto & parts) {
      return static_cast<double>(std::count_if(parts.begin(), parts.end(), [](double part) { return part > 0.0; }));
    };
    const double chance = (occupied(joint) - occupied(moving) - occupied(fixed) + 1.0) / (2.0 * count);
    const double information = m_FixedEntropy + Entropy(moving.data(), bins) - Entropy(joint.data(), joint.size());
    Agreement    agreement;
    agreement.overlap = all > 0 ? static_cast<double>(inside) / static_cast<double>(all) : 0.0;
    agreement.explained = m_FixedEntropy > 0.0 ? std::max(0.0, information - chance) / m_FixedEntropy
                                               : std::numeric_limits<double>::quiet_NaN();
    return agreement;
  }

private:
  static constexpr unsigned int bins = 24;
  static constexpr double       degree = 0.017453292519943295;

  /** Means of boxes of voxels. */
  struct Coarse
  {
    std::array<std::ptrdiff_t, VDimension> size{};
    std::array<double, VDimension>         spacing{};
    Point                                  first;        ///< place of the first one
    Matrix                                 pointOfIndex; ///< per coarse voxel
    Matrix                                 indexOfPoint;
    std::vector<double>                    values;
    std::vector<bool>                      isUnderMask; ///< any of its voxels
    double                                 least{ 0.0 };
    double                                 low{ 0.0 }; ///< value where the bins begin
    double                                 high{ 0.0 };
  };

  static Coarse
  MakeCoarse(const ImageType * image, const itk::SpatialObject<VDimension> * mask, bool isBrief)
  {
    constexpr std::ptrdiff_t most = 40; // voxels an axis
    Coarse                   coarse;
    const auto               region = image->GetBufferedRegion();
    double                   widest = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      widest = std::max(widest, static_cast<double>(region.GetSize(d)) * image->GetSpacing()[d]);
    }
    std::array<std::ptrdiff_t, VDimension>   factor{};
    itk::ContinuousIndex<double, VDimension> corner;
    std::size_t                              count = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      factor[d] =
        std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(std::round(widest / most / image->GetSpacing()[d])));
      factor[d] = std::min(factor[d], static_cast<std::ptrdiff_t>(region.GetSize(d)));
      coarse.size[d] = (static_cast<std::ptrdiff_t>(region.GetSize(d)) + factor[d] - 1) / factor[d];
      coarse.spacing[d] = image->GetSpacing()[d] * static_cast<double>(factor[d]);
      corner[d] = static_cast<double>(region.GetIndex(d)) + 0.5 * static_cast<double>(factor[d] - 1);
      count *= static_cast<std::size_t>(coarse.size[d]);
    }
    image->TransformContinuousIndexToPhysicalPoint(corner, coarse.first);
    for (unsigned int row = 0; row < VDimension; ++row)
    {
      for (unsigned int column = 0; column < VDimension; ++column)
      {
        coarse.pointOfIndex[row][column] = image->GetDirection()[row][column] * coarse.spacing[column];
      }
    }
    coarse.indexOfPoint = Matrix(coarse.pointOfIndex.GetInverse());

    coarse.values.assign(count, 0.0);
    std::vector<double>                    numbers(count, 0.0);
    double                                 least = std::numeric_limits<double>::infinity();
    std::array<std::ptrdiff_t, VDimension> stride{};
    std::array<std::ptrdiff_t, VDimension> counted{};
    std::ptrdiff_t                         all = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      stride[d] = isBrief ? std::max<std::ptrdiff_t>(1, factor[d] / 3) : 1;
      counted[d] = (static_cast<std::ptrdiff_t>(region.GetSize(d)) + stride[d] - 1) / stride[d];
      all *= counted[d];
    }
    for (std::ptrdiff_t number = 0; number < all; ++number)
    {
      auto           index = region.GetIndex();
      std::ptrdiff_t offset = 0;
      std::ptrdiff_t rest = number;
      std::ptrdiff_t coarseStride = 1;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        const std::ptrdiff_t place = rest % counted[d] * stride[d];
        rest /= counted[d];
        index[d] += place;
        offset += place / factor[d] * coarseStride;
        coarseStride *= coarse.size[d];
      }
      const auto value = static_cast<double>(image->GetPixel(index));
      if (!std::isfinite(value))
      {
        continue;
      }
      least = std::min(least, value);
      if (mask != nullptr && !isBrief)
      {
        typename ImageType::PointType place;
        image->TransformIndexToPhysicalPoint(index, place);
        if (!mask->IsInsideInWorldSpace(place))
        {
          continue;
        }
      }
      coarse.values[static_cast<std::size_t>(offset)] += value;
      numbers[static_cast<std::size_t>(offset)] += 1.0;
    }
    if (mask != nullptr && isBrief)
    {
      std::array<std::ptrdiff_t, VDimension> index{};
      for (double & number : numbers)
      {
        typename Linear::OutputVectorType steps;
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          steps[d] = static_cast<double>(index[d]);
        }
        number = mask->IsInsideInWorldSpace(coarse.first + coarse.pointOfIndex * steps) ? number : 0.0;
        for (unsigned int d = 0; d < VDimension && ++index[d] == coarse.size[d]; ++d)
        {
          index[d] = 0;
        }
      }
    }
    coarse.isUnderMask.resize(count);
    for (std::size_t n = 0; n < count; ++n)
    {
      coarse.isUnderMask[n] = numbers[n] > 0.0;
      coarse.values[n] = numbers[n] > 0.0 ? coarse.values[n] / numbers[n] : least;
    }
    const auto range = std::minmax_element(coarse.values.begin(), coarse.values.end());
    coarse.least = *range.first;
    coarse.low = *range.first;
    coarse.high = *range.second;
    if (isBrief)
    {
      // A few outliers must not leave one bin to all others.
      std::vector<double> sorted = coarse.values;
      std::sort(sorted.begin(), sorted.end());
      const auto outer = static_cast<std::size_t>(0.01 * static_cast<double>(sorted.size() - 1));
      coarse.low = sorted[outer];
      coarse.high = sorted[sorted.size() - 1 - outer];
    }
    return coarse;
  }

  static unsigned int
  BinOf(const Coarse & coarse, double value)
  {
    const double width = coarse.high - coarse.low;
    const double place = width > 0.0 ? bins * (value - coarse.low) / width : 0.0;
    return static_cast<unsigned int>(std::max(0.0, std::min(place, bins - 1.0)));
  }

  static double
  Entropy(const double * parts, std::size_t count)
  {
    return std::accumulate(parts, parts + count, 0.0, [](double sum, double part) {
      return part > 0.0 ? sum - part * std::log(part) : sum;
    });
  }

  /** The moving image at a place, linearly; its least value outside. */
  double
  ValueAt(const std::array<double, VDimension> & index) const
  {
    std::array<std::ptrdiff_t, VDimension> base{};
    std::array<double, VDimension>         weight{};
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      if (!(index[d] >= 0.0 && index[d] <= static_cast<double>(m_Moving.size[d] - 1)))
      {
        return m_Moving.least;
      }
      base[d] = std::min(static_cast<std::ptrdiff_t>(index[d]), std::max<std::ptrdiff_t>(m_Moving.size[d] - 2, 0));
      weight[d] = index[d] - static_cast<double>(base[d]);
    }
    double sum = 0.0;
    for (unsigned int corner = 0; corner < (1U << VDimension); ++corner)
    {
      double         product = 1.0;
      std::ptrdiff_t offset = 0;
      for (unsigned int d = VDimension; d-- > 0;)
      {
        const bool isNext = ((corner >> d) & 1U) != 0;
        product *= isNext ? weight[d] : 1.0 - weight[d];
        offset = offset * m_Moving.size[d] + std::min(base[d] + (isNext ? 1 : 0), m_Moving.size[d] - 1);
      }
      sum += product != 0.0 ? product * m_Moving.values[static_cast<std::size_t>(offset)] : 0.0;
    }
    return sum;
  }

  /** Mutual information, in nats. */
  double
  Judge(const Pose & pose) const
  {
    const Point centre = m_Start->GetCenter();
    // Index of the moving image: linear in that of the fixed one.
    const Matrix matrix = m_Moving.indexOfPoint * pose.matrix * m_Fixed.pointOfIndex;
    const Vector begin =
      m_Moving.indexOfPoint * (pose.matrix * (m_Fixed.first - centre) + pose.translation + (centre - m_Moving.first));
    std::vector<double>                    joint(static_cast<std::size_t>(bins) * bins, 0.0);
    std::array<std::ptrdiff_t, VDimension> index{};
    const double                           part = 1.0 / static_cast<double>(m_Fixed.values.size());
    for (std::size_t n = 0; n < m_Fixed.values.size(); ++n)
    {
      std::array<double, VDimension> place{};
      for (unsigned int row = 0; row < VDimension; ++row)
      {
        place[row] = begin[row];
        for (unsigned int column = 0; column < VDimension; ++column)
        {
          place[row] += matrix[row][column] * static_cast<double>(index[column]);
        }
      }
      joint[m_FixedBins[n] * bins + BinOf(m_Moving, this->ValueAt(place))] += part;
      for (unsigned int d = 0; d < VDimension && ++index[d] == m_Fixed.size[d]; ++d)
      {
        index[d] = 0;
      }
    }
    std::array<double, bins> moving{};
    for (std::size_t n = 0; n < joint.size(); ++n)
    {
      moving[n % bins] += joint[n];
    }
    return m_FixedEntropy + Entropy(moving.data(), bins) - Entropy(joint.data(), joint.size());
  }

  /** A rotation about an axis (in 2D the one), by an angle. */
  static Matrix
  Turn(unsigned int axis, double angle)
  {
    Matrix matrix;
    matrix.SetIdentity();
    const unsigned int next = VDimension == 2 ? 0 : (axis + 1) % VDimension;
    const unsigned int last = VDimension == 2 ? 1 : (axis + 2) % VDimension;
    matrix[next][next] = std::cos(angle);
    matrix[next][last] = -std::sin(angle);
    matrix[last][next] = std::sin(angle);
    matrix[last][last] = std::cos(angle);
    return matrix;
  }

  /** The identity, and rotations spread evenly. */
  std::vector<Pose>
  MakePoses() const
  {
    Pose still;
    still.matrix.SetIdentity();
    still.translation = m_Start->GetTranslation();
    std::vector<Pose> poses{ still };
    if constexpr (VDimension == 2)
    {
      constexpr int number = 36;
      for (int n = 1; n < number; ++n)
      {
        still.matrix = Turn(0, 2.0 * itk::Math::pi * n / number);
        poses.push_back(still);
      }
    }
    else
    {
      // Quaternions along a spiral on their sphere: Alexa, Super-Fibonacci Spirals, CVPR 2022.
      constexpr int    number = 600;
      constexpr double phi = 1.4142135623730951;
      constexpr double psi = 1.533751168755204288118041;
      for (int n = 0; n < number; ++n)
      {
        const double s = n + 0.5;
        const double r = std::sqrt(s / number);
        const double q = std::sqrt(1.0 - s / number);
        const double alpha = 2.0 * itk::Math::pi * s / phi;
        const double beta = 2.0 * itk::Math::pi * s / psi;
        const double x = r * std::sin(alpha);
        const double y = r * std::cos(alpha);
        const double z = q * std::sin(beta);
        const double w = q * std::cos(beta);
        still.matrix[0][0] = 1.0 - 2.0 * (y * y + z * z);
        still.matrix[0][1] = 2.0 * (x * y - z * w);
        still.matrix[0][2] = 2.0 * (x * z + y * w);
        still.matrix[1][0] = 2.0 * (x * y + z * w);
        still.matrix[1][1] = 1.0 - 2.0 * (x * x + z * z);
        still.matrix[1][2] = 2.0 * (y * z - x * w);
        still.matrix[2][0] = 2.0 * (x * z - y * w);
        still.matrix[2][1] = 2.0 * (y * z + x * w);
        still.matrix[2][2] = 1.0 - 2.0 * (x * x + y * y);
        poses.push_back(still);
      }
    }
    return poses;
  }

  /** Goes to the best pose nearby: steps of angles and of coarse voxels that are halved where none helps. */
  void
  Refine(Pose & pose) const
  {
    constexpr unsigned int turns = VDimension == 2 ? 1 : 3;
    double                 angle = (VDimension == 2 ? 5.0 : 12.0) * degree;
    double                 way = m_Step;
    for (int scale = 0; scale < 5;)
    {
      Pose best = pose;
      for (unsigned int parameter = 0; parameter < turns + VDimension; ++parameter)
      {
        for (const double sign : { -1.0, 1.0 })
        {
          Pose tried = pose;
          if (parameter < turns)
          {
            tried.matrix = Turn(parameter, sign * angle) * pose.matrix;
          }
          else
          {
            tried.translation[parameter - turns] += sign * way;
          }
          tried.information = this->Judge(tried);
          best = tried.information > best.information ? tried : best;
        }
      }
      if (best.information > pose.information)
      {
        pose = best;
      }
      else
      {
        angle *= 0.5;
        way *= 0.5;
        ++scale;
      }
    }
  }

  const Linear *            m_Start;
  Coarse                    m_Fixed;
  Coarse                    m_Moving;
  std::vector<unsigned int> m_FixedBins;
  double                    m_FixedEntropy{ 0.0 };
  double                    m_Step{ 1.0 }; ///< mm
};

template <typename TPixel, unsigned int VDimension>
void
SearchRotation(const SearchInputs<TPixel, VDimension> &                         inputs,
               const RegistrationRequest &                                      request,
               itk::MatrixOffsetTransformBase<double, VDimension, VDimension> * start)
{
  constexpr double poor = 0.15; // of the entropy; unrelated images have about 0.05
  double           explained = 0.0;
  const auto       pose = RotationSearchOf<TPixel, VDimension>(inputs, start).Find(explained);
  start->SetMatrix(pose.matrix);
  start->SetTranslation(pose.translation);
  if (explained < poor && request.note)
  {
    request.note("the best rotation of --initialize search explains " + Brief(100.0 * explained) +
                 " % of the fixed image's entropy (poor below " + Brief(100.0 * poor) +
                 " %); look at --picture whether the images lie over each other");
  }
}

template <typename TPixel, unsigned int VDimension>
Agreement
MeasureAgreementTyped(const RegistrationRequest & request, const itk::TransformBase * transform)
{
  using MaskImageType = itk::Image<std::uint8_t, VDimension>;
  const auto maskOf = [](const std::optional<Volume> & volume) {
    const auto mask = itk::ImageMaskSpatialObject<VDimension>::New();
    if (volume)
    {
      mask->SetImage(ViewAsImage<MaskImageType>(*volume));
      mask->Update();
    }
    return mask;
  };
  const auto                                 fixedMask = maskOf(request.fixedMask);
  const auto                                 movingMask = maskOf(request.movingMask);
  const auto                                 fixed = ViewAsImage<itk::Image<TPixel, VDimension>>(request.fixed);
  const auto                                 moving = ViewAsImage<itk::Image<TPixel, VDimension>>(request.moving);
  const RotationSearchOf<TPixel, VDimension> search({ fixed,
                                                      moving,
                                                      request.fixedMask ? fixedMask.GetPointer() : nullptr,
                                                      request.movingMask ? movingMask.GetPointer() : nullptr },
                                                    nullptr,
                                                    true);
  return search.Agree(dynamic_cast<const itk::Transform<double, VDimension, VDimension> *>(transform));
}

} // namespace CudaSplineRegister

#endif

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
#include "itkCudaSpline/kernels/registration/ImageAgreement.h"

#include "kernels/registration/images/CoarseImage.h"

#include "itkCudaSpline/kernels/registration/ImagePyramid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>

namespace itk::CudaSpline
{

namespace
{

constexpr double Unknown = std::numeric_limits<double>::quiet_NaN();

/** Values of a coarse moving image at the voxels of a coarse fixed image. */
struct LaidImage
{
  std::vector<double>        values;
  std::vector<unsigned int>  valueBins;
  std::vector<unsigned char> isInside; ///< whether a voxel is inside the moving image
  double                     overlap{ 0.0 };
};

/** Mutual information as a fraction of the entropy of the fixed image, and the alignment of gradients. */
struct Similarities
{
  double explained{ 0.0 };
  double alignment{ 0.0 };
};

/** (value of the first - mean of the others) / (their standard deviation + slack). */
double
StandardScore(const std::vector<Similarities> & found, double Similarities::*of, double slack)
{
  const auto others = static_cast<double>(found.size() - 1);
  double     mean = 0.0;
  double     square = 0.0;
  for (std::size_t n = 1; n < found.size(); ++n)
  {
    mean += found[n].*of / others;
    square += found[n].*of * (found[n].*of) / others;
  }
  return (found.front().*of - mean) / (std::sqrt(std::max(0.0, square - mean * mean)) + slack);
}

/** A volume of numbers on a coarse grid, x fastest. */
template <unsigned int VDimension>
class GradientVolume
{
public:
  using Vector = PlaceOf<VDimension>;
  using Index = IndexOf<VDimension>;

  /** Computes central differences per index, of values that are smoothed by (1 2 1) / 4 along each axis.
   *
   * \param[in] values the values
   * \param[in] isInside voxels that have a value; a gradient is known if all neighbors have one */
  GradientVolume(std::vector<double>                values,
                 const std::vector<unsigned char> & isInside,
                 const Index &                      size,
                 const ExecutionContext &           context)
    : m_Gradients(values.size())
    , m_IsKnown(values.size(), 1)
  {
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      const std::vector<double> before = values;
      ForEachNeighbors(size, axis, context, [&](std::size_t low, std::size_t at, std::size_t high) {
        values[at] = 0.25 * (before[low] + 2.0 * before[at] + before[high]);
      });
    }
    double      sum = 0.0;
    std::size_t count = 0;
    for (unsigned int axis = 0; axis < VDimension; ++axis)
    {
      ForEachNeighbors(size, axis, context, [&](std::size_t low, std::size_t at, std::size_t high) {
        const bool isKnown = m_IsKnown[at] != 0 && isInside[low] != 0 && isInside[at] != 0 && isInside[high] != 0;
        m_Gradients[at][axis] = 0.5 * (values[high] - values[low]);
        m_IsKnown[at] = isKnown ? 1 : 0;
      });
    }
    for (std::size_t n = 0; n < m_Gradients.size(); ++n)
    {
      sum += m_IsKnown[n] != 0 ? std::sqrt(SquareOf(m_Gradients[n])) : 0.0;
      count += m_IsKnown[n];
    }
    const double mean = count > 0 ? sum / static_cast<double>(count) : 0.0;
    m_Noise = mean * mean;
  }

  static double
  SquareOf(const Vector & vector)
  {
    return std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0);
  }
  const Vector &
  operator[](std::size_t at) const
  {
    return m_Gradients[at];
  }
  bool
  IsKnown(std::size_t at) const
  {
    return m_IsKnown[at] != 0;
  }
  /** Returns the square of the length below which directions are considered noise. */
  double
  GetNoise() const
  {
    return m_Noise;
  }

private:
  /** Calls a functor with each voxel and its neighbors along an axis. At the ends the voxel itself replaces a missing
   * neighbor. */
  template <typename TFunctor>
  static void
  ForEachNeighbors(const Index & size, unsigned int axis, const ExecutionContext & context, const TFunctor & functor)
  {
    const auto stride = static_cast<std::size_t>(
      std::accumulate(size.begin(), size.begin() + axis, std::ptrdiff_t{ 1 }, std::multiplies<>()));
    ForEachVoxel(size, context, [&](std::size_t at, const Index & index) {
      functor(index[axis] > 0 ? at - stride : at, at, index[axis] + 1 < size[axis] ? at + stride : at);
    });
  }

  std::vector<Vector>        m_Gradients;
  std::vector<unsigned char> m_IsKnown;
  double                     m_Noise{ 0.0 };
};

/** Two coarse images that are compared. */
template <unsigned int VDimension>
class AgreementTest
{
public:
  using Place = PlaceOf<VDimension>;
  using Matrix = MatrixOf<VDimension>;
  using Index = IndexOf<VDimension>;

  /** \param[in] fixed, moving the images
   * \param[in] fixedPart, movingPart the parts of the images that are compared */
  AgreementTest(const MaskedImage & fixed,
                const FieldGrid &   fixedPart,
                const MaskedImage & moving,
                const FieldGrid &   movingPart,
                const Residence &   residence)
    : m_Context(residence.GetContext())
    , m_Fixed(fixed, fixedPart, true, residence)
    , m_Moving(moving, movingPart, true, residence)
    , m_FixedBins(m_Fixed.values.size())
    , m_HasMask(fixed.mask != nullptr)
  {
    // A mask of a few voxels may not contain any coarse voxel. The whole image is then used.
    const auto & isUnderMask = m_Fixed.isUnderMask;
    const bool   isMasked = std::find(isUnderMask.begin(), isUnderMask.end(), true) != isUnderMask.end();
    for (std::size_t n = 0; n < m_FixedBins.size(); ++n)
    {
      m_FixedBins[n] = m_Fixed.BinOf(m_Fixed.values[n]);
      if (isUnderMask[n] || !isMasked)
      {
        m_Counted.push_back(n);
      }
    }
    std::array<double, bins> parts{};
    for (const std::size_t n : m_Counted)
    {
      parts[m_FixedBins[n]] += 1.0 / static_cast<double>(m_Counted.size());
    }
    m_FixedEntropy = Entropy(parts.data(), bins);
  }

  ImageAgreement
  Run(const DisplacementSource & whole, const DisplacementSource & linear) const
  {
    const LaidImage laid = this->Lay(whole);
    ImageAgreement  agreement;
    agreement.overlap = laid.overlap;
    agreement.isConstant = this->IsConstant();
    agreement.isUnknown = m_HasMask && m_FixedEntropy > 0.0 && !this->CanCompare(m_Counted.size());
    agreement.explained = this->FindShare(laid);
    agreement.significance = linear ? this->FindSignificance(this->Lay(linear)) : Unknown;
    return agreement;
  }

private:
  /** Returns whether one of the images is constant. */
  bool
  IsConstant() const
  {
    const auto isSame = [this](std::size_t n) { return m_Fixed.values[n] == m_Fixed.values[m_Counted.front()]; };
    const auto range = std::minmax_element(m_Moving.values.begin(), m_Moving.values.end());
    const bool isFixed = m_Counted.size() > 1 && std::all_of(m_Counted.begin(), m_Counted.end(), isSame);
    return isFixed || *range.first == *range.second;
  }

  /** Returns the moving image at the transformed voxels of the fixed image. Voxels outside have its smallest value. */
  LaidImage
  Lay(const DisplacementSource & source) const
  {
    const std::vector<double> displacements = source(m_Fixed.voxels);
    LaidImage                 laid;
    laid.values.resize(m_FixedBins.size());
    laid.valueBins.resize(m_FixedBins.size());
    laid.isInside.resize(m_FixedBins.size());
    ForEachVoxel(m_Fixed.size, m_Context, [&](std::size_t n, const Index & index) {
      Place moved = m_Fixed.PlaceAt(index);
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        moved[d] += displacements[n * VDimension + d] - m_Moving.first[d];
      }
      const Place at = Turned(m_Moving.indexOfPoint, moved);
      bool        isInside = true;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        isInside = isInside && at[d] >= -0.5 && at[d] <= static_cast<double>(m_Moving.size[d]) - 0.5;
      }
      laid.values[n] = m_Moving.ValueAt(at);
      laid.valueBins[n] = m_Moving.BinOf(laid.values[n]);
      laid.isInside[n] = isInside ? 1 : 0;
    });
    const auto isInside = [&laid](std::size_t n) { return laid.isInside[n] != 0; };
    laid.overlap = static_cast<double>(std::count_if(m_Counted.begin(), m_Counted.end(), isInside)) /
                   static_cast<double>(m_Counted.size());
    return laid;
  }

  /** Returns the mutual information minus that of shuffled values, as a fraction of the entropy of the fixed image. */
  double
  FindShare(const LaidImage & laid) const
  {
    if (!this->CanCompare(m_Counted.size()))
    {
      return Unknown;
    }
    std::vector<unsigned int> values = laid.valueBins;
    std::vector<std::size_t>  insides;
    std::copy_if(m_Counted.begin(), m_Counted.end(), std::back_inserter(insides), [&laid](std::size_t n) {
      return laid.isInside[n] != 0;
    });
    const double information = this->InformationOf(values);
    std::mt19937 random(1);
    double       chance = 0.0;
    const int    times = values.size() > 10000 ? 1 : 4; // one is sufficient for many voxels
    for (int time = 0; time < times; ++time)
    {
      for (std::size_t left = insides.size(); left > 1; --left)
      {
        std::swap(values[insides[left - 1]], values[insides[random() % left]]);
      }
      chance += this->InformationOf(values) / times;
    }
    return std::max(0.0, information - chance) / m_FixedEntropy;
  }

  /** Returns whether a number of voxels is sufficient for a comparison. */
  bool
  CanCompare(std::size_t voxels) const
  {
    constexpr std::size_t least = 200;
    return m_FixedEntropy > 0.0 && voxels >= least;
  }

  /** See MeasureAgreement(). */
  double
  FindSignificance(const LaidImage & laid) const
  {
    if (!this->CanCompare(static_cast<std::size_t>(laid.overlap * static_cast<double>(m_Counted.size()))))
    {
      return Unknown;
    }
    const GradientVolume<VDimension> fixed(m_Fixed.values, laid.isInside, m_Fixed.size, m_Context);
    const GradientVolume<VDimension> moving(laid.values, laid.isInside, m_Fixed.size, m_Context);
    const std::vector<Matrix>        turns = this->MakeTurns();
    const Outline                    outline = this->FindOutline(laid);
    std::vector<Similarities>        found(turns.size());
    m_Context.ParallelFor(static_cast<std::int64_t>(turns.size()), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t n = begin; n < end; ++n)
      {
        const Matrix matrix =
          Product(outline.fromSphere, Product(turns[static_cast<std::size_t>(n)], outline.toSphere));
        found[static_cast<std::size_t>(n)] = this->Compare(laid, fixed, moving, matrix, outline.centre);
      }
    });
    return StandardScore(found, &Similarities::explained, 0.01) + StandardScore(found, &Similarities::alignment, 0.02);
  }

  /** Second moments of an image, as coordinates in which it is a sphere. */
  struct Outline
  {
    Place  centre{};
    Matrix toSphere{};
    Matrix fromSphere{};
  };

  /** Returns the outline of the aligned image, in indices of the fixed image. It includes everything above the
   * background. */
  Outline
  FindOutline(const LaidImage & laid) const
  {
    Outline outline;
    double  sum = 0.0;
    this->ForEachWeight(laid, [&](const Place & index, double weight) {
      sum += weight;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        outline.centre[d] += weight * index[d];
      }
    });
    for (double & coordinate : outline.centre)
    {
      coordinate /= std::max(sum, std::numeric_limits<double>::min());
    }
    FieldGrid::Matrix moments{};
    this->ForEachWeight(laid, [&](const Place & index, double weight) {
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        for (unsigned int c = 0; c < VDimension && sum > 0.0; ++c)
        {
          moments[r][c] += weight / sum * (index[r] - outline.centre[r]) * (index[c] - outline.centre[c]);
        }
      }
    });
    // Cholesky decomposition. Axes with few slices are not changed.
    FieldGrid::Matrix lower{};
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c <= r; ++c)
      {
        double rest = moments[r][c];
        for (unsigned int k = 0; k < c; ++k)
        {
          rest -= lower[r][k] * lower[c][k];
        }
        const bool isFlat = !this->Turns(r) || !this->Turns(c);
        lower[r][c] = isFlat ? (r == c ? 1.0 : 0.0) : r == c ? std::sqrt(std::max(rest, 0.01)) : rest / lower[c][c];
      }
    }
    const FieldGrid::Matrix inverse = InvertGridMatrix(lower, VDimension);
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      std::copy_n(lower[r].begin(), VDimension, outline.fromSphere[r].begin());
      std::copy_n(inverse[r].begin(), VDimension, outline.toSphere[r].begin());
    }
    return outline;
  }

  template <typename TFunctor>
  void
  ForEachWeight(const LaidImage & laid, const TFunctor & functor) const
  {
    constexpr double foreground = 0.2; // fraction of the range above which a voxel has weight 1
    const double     range = std::max(foreground * (m_Moving.high - m_Moving.low), std::numeric_limits<double>::min());
    Index            index{};
    for (std::size_t n = 0; n < laid.values.size(); ++n, Advance(index, m_Fixed.size))
    {
      if (laid.isInside[n] != 0)
      {
        Place at{};
        std::copy(index.begin(), index.end(), at.begin());
        functor(at, std::max(0.0, std::min(1.0, (laid.values[n] - m_Moving.low) / range)));
      }
    }
  }

  /** Returns whether an axis has enough samples for rotations. */
  bool
  Turns(unsigned int axis) const
  {
    return m_Fixed.size[axis] > 3;
  }

  /** Returns the identity, and rotations and reflections that are far from it. */
  std::vector<Matrix>
  MakeTurns() const
  {
    std::vector<Matrix> turns(1);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      turns.front()[d][d] = 1.0;
    }
    bool isSolid = VDimension == 3;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      isSolid = isSolid && this->Turns(d);
    }
    return isSolid ? this->MakeSolidTurns(turns) : this->MakePlaneTurns(turns);
  }

  /** Returns multiples of 45 degrees in the plane of two axes, and their reflections. */
  std::vector<Matrix>
  MakePlaneTurns(std::vector<Matrix> turns) const
  {
    const unsigned int a = VDimension == 3 && !this->Turns(0) ? 1 : 0;
    const unsigned int b = VDimension == 3 && (a == 1 || !this->Turns(1)) ? 2 : 1;
    constexpr int      number = 8;
    const double       eighth = std::atan(1.0);
    for (int n = 1; n < 2 * number; ++n)
    {
      const double angle = eighth * n;
      const double sign = n < number ? 1.0 : -1.0;
      Matrix       turn = turns.front();
      turn[a][a] = std::cos(angle);
      turn[b][a] = std::sin(angle);
      turn[a][b] = -sign * std::sin(angle);
      turn[b][b] = sign * std::cos(angle);
      turns.push_back(turn);
    }
    return turns;
  }

  /** Returns rotations by 60 degrees or more, every other one with a reflection. */
  std::vector<Matrix>
  MakeSolidTurns(std::vector<Matrix> turns) const
  {
    constexpr std::size_t number = 20;
    std::mt19937          random(1);
    const auto            uniform = [&random] { return static_cast<double>(random()) / 4294967296.0; };
    while (turns.size() <= number)
    {
      // A random unit quaternion (Marsaglia 1972).
      std::array<double, 4> q{};
      double                square = 0.0;
      for (double & part : q)
      {
        part = 2.0 * uniform() - 1.0;
        square += part * part;
      }
      const double cosine = 2.0 * q[3] * q[3] / square - 1.0; // of the angle
      if (square > 1.0 || square < 0.01 || cosine > 0.5)
      {
        continue;
      }
      const double mirror = turns.size() % 2 == 0 ? -1.0 : 1.0;
      Matrix       turn{};
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          // R = I + 2 w [v] + 2 [v]^2 with the cross product [v]
          const unsigned int other = 3 - r - c;
          const double       sign = (c + 3 - r) % 3 == 1 ? -1.0 : 1.0;
          const double       entry = r == c ? 1.0 - 2.0 * (square - q[3] * q[3] - q[r] * q[r]) / square
                                            : 2.0 * (q[r] * q[c] + sign * q[3] * q[other]) / square;
          turn[r][c] = entry * (c == 2 ? mirror : 1.0);
        }
      }
      turns.push_back(turn);
    }
    return turns;
  }

  /** Returns the stride of voxels to compare rotated images: about 16000 voxels are used, in all columns. */
  std::size_t
  FindStride() const
  {
    constexpr std::size_t enough = 16000;
    std::size_t           stride = std::max<std::size_t>(1, m_Counted.size() / enough);
    while (std::gcd(stride, static_cast<std::size_t>(m_Fixed.size[0])) > 1)
    {
      ++stride;
    }
    return stride;
  }

  /** Compares the fixed image with the aligned image after a rotation about a centre. The nearest voxel is used. */
  Similarities
  Compare(const LaidImage &                  laid,
          const GradientVolume<VDimension> & fixed,
          const GradientVolume<VDimension> & moving,
          const Matrix &                     matrix,
          const Place &                      centre) const
  {
    std::vector<double> joint(std::size_t{ bins } * bins, 0.0);
    const std::size_t   stride = this->FindStride();
    double              aligned = 0.0;
    double              weights = 0.0;
    for (std::size_t number = 0; number < m_Counted.size(); number += stride)
    {
      const std::size_t n = m_Counted[number];
      bool              isThere = true;
      const std::size_t at = this->FindTurned(IndexOfVoxel(n, m_Fixed.size), matrix, centre, isThere);
      joint[std::size_t{ m_FixedBins[n] } * bins + laid.valueBins[at]] += 1.0;
      if (!isThere || !fixed.IsKnown(n) || !moving.IsKnown(at))
      {
        continue;
      }
      Place gradient{}; // in the index space of the fixed image
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        for (unsigned int r = 0; r < VDimension; ++r)
        {
          gradient[c] += matrix[r][c] * moving[at][r];
        }
      }
      const double product = std::inner_product(gradient.begin(), gradient.end(), fixed[n].begin(), 0.0);
      const double ofFixed = GradientVolume<VDimension>::SquareOf(fixed[n]);
      const double ofMoving = GradientVolume<VDimension>::SquareOf(gradient);
      const double whole = (ofFixed + fixed.GetNoise()) * (ofMoving + moving.GetNoise());
      if (whole > 0.0)
      {
        aligned += product * product / whole;
        weights += ofFixed * ofMoving / whole;
      }
    }
    return { InformationOf(joint) / m_FixedEntropy, weights > 0.0 ? aligned / weights : 0.0 };
  }

  /** Returns the voxel in the image that is nearest to a rotated index. */
  std::size_t
  FindTurned(const Index & index, const Matrix & matrix, const Place & centre, bool & isThere) const
  {
    Place offset{};
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      offset[d] = static_cast<double>(index[d]) - centre[d];
    }
    const Place turned = Turned(matrix, offset);
    std::size_t at = 0;
    for (unsigned int d = VDimension; d-- > 0;)
    {
      const double wanted = std::floor(turned[d] + centre[d] + 0.5);
      const double found = std::max(0.0, std::min(wanted, static_cast<double>(m_Fixed.size[d] - 1)));
      isThere = isThere && wanted == found;
      at = at * static_cast<std::size_t>(m_Fixed.size[d]) + static_cast<std::size_t>(found);
    }
    return at;
  }

  /** Returns the mutual information of the fixed image and values of the moving one at its coarse voxels, in nats. */
  double
  InformationOf(const std::vector<unsigned int> & values) const
  {
    std::vector<double> joint(std::size_t{ bins } * bins, 0.0);
    for (const std::size_t n : m_Counted)
    {
      joint[std::size_t{ m_FixedBins[n] } * bins + values[n]] += 1.0;
    }
    return InformationOf(joint);
  }

  /** Returns the mutual information of a histogram, in nats. */
  static double
  InformationOf(std::vector<double> joint)
  {
    const double             sum = std::accumulate(joint.begin(), joint.end(), 0.0);
    std::array<double, bins> fixed{};
    std::array<double, bins> moving{};
    for (std::size_t n = 0; n < joint.size(); ++n)
    {
      joint[n] /= sum;
      fixed[n / bins] += joint[n];
      moving[n % bins] += joint[n];
    }
    return Entropy(fixed.data(), bins) + Entropy(moving.data(), bins) - Entropy(joint.data(), joint.size());
  }

  const ExecutionContext &  m_Context;
  CoarseImage<VDimension>   m_Fixed;
  CoarseImage<VDimension>   m_Moving;
  std::vector<unsigned int> m_FixedBins;
  std::vector<std::size_t>  m_Counted; ///< voxels under the mask
  double                    m_FixedEntropy{ 0.0 };
  bool                      m_HasMask;
};

std::string
Brief(double number)
{
  char text[32];
  std::snprintf(text, sizeof(text), "%.2g", number);
  return text;
}

std::string
Percent(double part)
{
  return Brief(100.0 * part) + " %";
}

/** Samples of a grid: the first ones, and one past the last ones. */
struct IndexBox
{
  std::array<std::int64_t, 3> begin{};
  std::array<std::int64_t, 3> end{ { 1, 1, 1 } };

  /** Extends the box to a continuous index of a grid. */
  void
  Include(const FieldGrid & grid, const FieldGrid::Vector & index)
  {
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      const double place = index[d] - static_cast<double>(grid.start[d]);
      begin[d] = std::min(begin[d], static_cast<std::int64_t>(std::floor(place)));
      end[d] = std::max(end[d], static_cast<std::int64_t>(std::ceil(place)) + 1);
    }
  }
  /** Adds samples at each end, within the grid.
   *
   * \return whether the box contains samples */
  bool
  Widen(const FieldGrid & grid, double part)
  {
    bool isLeft = true;
    for (unsigned int d = 0; d < grid.dimension; ++d)
    {
      const auto more = static_cast<std::int64_t>(std::ceil(part * static_cast<double>(end[d] - begin[d])));
      begin[d] = std::clamp<std::int64_t>(begin[d] - more, 0, grid.size[d]);
      end[d] = std::clamp<std::int64_t>(end[d] + more, 0, grid.size[d]);
      isLeft = isLeft && begin[d] < end[d];
    }
    return isLeft;
  }
};

/** Returns a box without samples of a grid. */
IndexBox
EmptyBox(const FieldGrid & grid)
{
  IndexBox box;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    box.begin[d] = std::numeric_limits<std::int64_t>::max() / 4;
    box.end[d] = std::numeric_limits<std::int64_t>::min() / 4;
  }
  return box;
}

/** Returns the continuous index of a point (mm). */
FieldGrid::Vector
IndexOfPlace(const FieldGrid & grid, const FieldGrid::Vector & place)
{
  FieldGrid::Vector index{};
  for (unsigned int r = 0; r < grid.dimension; ++r)
  {
    for (unsigned int c = 0; c < grid.dimension; ++c)
    {
      index[r] += grid.pointToIndex[r][c] * (place[c] - grid.origin[c]);
    }
  }
  return index;
}

/** Calls a functor with the index of each sample of a grid, in the order of memory. */
template <typename TFunctor>
void
ForEachIndex(const FieldGrid & grid, const TFunctor & functor)
{
  for (std::int64_t n = 0; n < grid.Count(); ++n)
  {
    const std::int64_t row = n / grid.size[0];
    functor(n,
            FieldGrid::Vector{ { static_cast<double>(grid.start[0] + n % grid.size[0]),
                                 static_cast<double>(grid.start[1] + row % grid.size[1]),
                                 static_cast<double>(grid.start[2] + row / grid.size[1]) } });
  }
}

/** Returns whether a part is smaller than half of a grid along each axis, and not empty. */
bool
IsSmall(const FieldGrid & part, const FieldGrid & grid)
{
  bool isSmall = true;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    isSmall = isSmall && part.size[d] > 0 && 2 * part.size[d] < grid.size[d];
  }
  return isSmall;
}

/** Returns the box of another grid that contains the points of a grid, extended by a quarter at each end. It is the
 * whole grid if no point is inside. */
IndexBox
FindImage(const FieldGrid & grid, const FieldGrid & other, const std::array<DisplacementSource, 2> & sources)
{
  const std::int64_t longest = *std::max_element(grid.size.begin(), grid.size.end());
  const FieldGrid    points = ShrinkGrid(grid, static_cast<unsigned int>((longest + 19) / 20));
  IndexBox           box = EmptyBox(other);
  for (const DisplacementSource & source : sources)
  {
    const std::vector<double> displacements = source(points);
    ForEachIndex(points, [&](std::int64_t n, const FieldGrid::Vector & index) {
      FieldGrid::Vector place = PlaceOfIndex(points, index);
      for (unsigned int d = 0; d < points.dimension; ++d)
      {
        place[d] += displacements[static_cast<std::size_t>(n) * points.dimension + d];
      }
      box.Include(other, IndexOfPlace(other, place));
    });
  }
  if (box.Widen(other, 0.25))
  {
    return box;
  }
  IndexBox whole;
  whole.end = other.size;
  return whole;
}

/** Returns the part of a grid in a box. */
FieldGrid
PartOf(const FieldGrid & grid, const IndexBox & box)
{
  FieldGrid part = grid;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    part.start[d] = grid.start[d] + box.begin[d];
    part.size[d] = box.end[d] - box.begin[d];
  }
  return part;
}

/** Returns the mean length of the axes of a grid (mm). */
double
MeasureExtent(const FieldGrid & grid)
{
  double volume = 1.0;
  for (unsigned int d = 0; d < grid.dimension; ++d)
  {
    volume *= static_cast<double>(grid.size[d]) * grid.spacing[d];
  }
  return std::pow(volume, 1.0 / grid.dimension);
}

/** Returns a note that the images may have different units if their extents suggest it. */
std::string
DescribeUnits(const ImageAgreement & agreement)
{
  const double factor = std::max(agreement.extentFactor, 1.0 / agreement.extentFactor);
  return factor < LargeExtentFactor
           ? ""
           : "; the moving image is " + std::to_string(std::llround(std::min(factor, 1e18))) + " times " +
               (agreement.extentFactor > 1.0 ? "larger" : "smaller") + ": check the units of the spacings (mm)";
}

} // namespace

ImageAgreement
MeasureAgreement(const MaskedImage &        fixed,
                 const MaskedImage &        moving,
                 const DisplacementSource & whole,
                 const DisplacementSource & linear,
                 const Residence &          residence)
{
  CheckCoarsePair(fixed, moving);
  FieldGrid fixedPart = fixed.grid;
  FieldGrid movingPart = moving.grid;
  if (const FieldGrid box = FindMaskBox(fixed); IsSmall(box, fixed.grid))
  {
    fixedPart = box;
    movingPart = PartOf(moving.grid, FindImage(fixedPart, moving.grid, { whole, linear ? linear : whole }));
  }
  ImageAgreement agreement = fixed.grid.dimension == 2
                               ? AgreementTest<2>(fixed, fixedPart, moving, movingPart, residence).Run(whole, linear)
                               : AgreementTest<3>(fixed, fixedPart, moving, movingPart, residence).Run(whole, linear);
  agreement.extentFactor = MeasureExtent(moving.grid) / MeasureExtent(fixed.grid);
  return agreement;
}

FieldGrid
FindMaskBox(const MaskedImage & image)
{
  if (image.mask == nullptr)
  {
    return image.grid;
  }
  IndexBox box = EmptyBox(image.grid);
  ForEachIndex(image.maskGrid, [&](std::int64_t n, const FieldGrid::Vector & index) {
    if (image.mask[n] != 0)
    {
      box.Include(image.grid, IndexOfPlace(image.grid, PlaceOfIndex(image.maskGrid, index)));
    }
  });
  FieldGrid part = image.grid;
  part.size = {};
  return box.Widen(image.grid, 0.0) ? PartOf(image.grid, box) : part;
}

bool
HasSmallMask(const MaskedImage & image)
{
  return IsSmall(FindMaskBox(image), image.grid);
}

std::string
DescribePoorAgreement(const ImageAgreement & agreement)
{
  if (agreement.isConstant)
  {
    return "one of the images has only one value (inside its mask, if it has one), so the images cannot be registered";
  }
  if (agreement.overlap < PoorOverlap)
  {
    return "only " + Percent(agreement.overlap) + " of the fixed image is inside the moving image (less than " +
           Percent(PoorOverlap) + " is poor)" + DescribeUnits(agreement);
  }
  if (agreement.isUnknown)
  {
    return "the mask of the fixed image has too few voxels to compare the images under it";
  }
  if (agreement.explained < PoorShare) // false for NaN
  {
    return "the moving image explains " + Percent(agreement.explained) +
           " of the entropy of the fixed image under the transform, as little as an unrelated image (below " +
           Percent(PoorShare) + " is poor)" + DescribeUnits(agreement);
  }
  if (agreement.explained < GoodShare && agreement.significance < PoorSignificance)
  {
    return "the moving image explains " + Percent(agreement.explained) +
           " of the entropy of the fixed image, but hardly more than after random rotations within its outline, as "
           "little as an unrelated image (" +
           Brief(agreement.significance) + " standard deviations; below " + Brief(PoorSignificance) + " is poor)" +
           DescribeUnits(agreement);
  }
  return {};
}

} // namespace itk::CudaSpline

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
#include "itkCudaSpline/kernels/registration/RotationSearch.h"

#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include "kernels/registration/SpatialMask.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace itk::CudaSpline
{

namespace
{

constexpr unsigned int bins = 24;
constexpr double       pi = 3.14159265358979323846;

template <unsigned int VDimension>
using PlaceOf = std::array<double, VDimension>;
template <unsigned int VDimension>
using MatrixOf = std::array<PlaceOf<VDimension>, VDimension>;
template <unsigned int VDimension>
using IndexOf = std::array<std::ptrdiff_t, VDimension>;

template <std::size_t VDimension>
std::array<double, VDimension>
Turned(const std::array<std::array<double, VDimension>, VDimension> & matrix, const std::array<double, VDimension> & by)
{
  std::array<double, VDimension> turned{};
  for (std::size_t r = 0; r < VDimension; ++r)
  {
    for (std::size_t c = 0; c < VDimension; ++c)
    {
      turned[r] += matrix[r][c] * by[c];
    }
  }
  return turned;
}

template <std::size_t VDimension>
std::array<std::array<double, VDimension>, VDimension>
Product(const std::array<std::array<double, VDimension>, VDimension> & a,
        const std::array<std::array<double, VDimension>, VDimension> & b)
{
  std::array<std::array<double, VDimension>, VDimension> product{};
  for (std::size_t r = 0; r < VDimension; ++r)
  {
    for (std::size_t c = 0; c < VDimension; ++c)
    {
      for (std::size_t k = 0; k < VDimension; ++k)
      {
        product[r][c] += a[r][k] * b[k][c];
      }
    }
  }
  return product;
}

/** Goes on to the next voxel. */
template <std::size_t VDimension>
void
Advance(std::array<std::ptrdiff_t, VDimension> & index, const std::array<std::ptrdiff_t, VDimension> & size)
{
  for (std::size_t d = 0; d < VDimension && ++index[d] == size[d]; ++d)
  {
    index[d] = 0;
  }
}

double
Entropy(const double * parts, std::size_t count)
{
  return std::accumulate(
    parts, parts + count, 0.0, [](double sum, double part) { return part > 0.0 ? sum - part * std::log(part) : sum; });
}

/** Means of boxes of voxels. */
template <unsigned int VDimension>
struct CoarseImage
{
  using Place = PlaceOf<VDimension>;
  using Index = IndexOf<VDimension>;

  Index                size{};
  double               widest{ 0.0 };  ///< spacing (mm)
  Place                first{};        ///< place of the first one
  MatrixOf<VDimension> pointOfIndex{}; ///< per coarse voxel
  MatrixOf<VDimension> indexOfPoint{};
  std::vector<double>  values;
  std::vector<bool>    isUnderMask; ///< any of its voxels
  double               least{ 0.0 };
  double               low{ 0.0 }; ///< value where the bins begin
  double               high{ 0.0 };

  /** \param[in] isBrief three voxels an axis are looked at in each coarse one, and the mask in its middle alone */
  CoarseImage(const MaskedImage & image, bool isBrief)
  {
    const Index factor = this->Lay(image.grid);
    WithPixels(image.pixels, image.pixel, [&](const auto * pixels) {
      this->Fill(image, pixels, factor, isBrief);
      return 0;
    });
    const auto range = std::minmax_element(values.begin(), values.end());
    least = *range.first;
    low = *range.first;
    high = *range.second;
    if (isBrief)
    {
      // A few outliers must not leave one bin to all others.
      std::vector<double> sorted = values;
      std::sort(sorted.begin(), sorted.end());
      const auto outer = static_cast<std::size_t>(0.01 * static_cast<double>(sorted.size() - 1));
      low = sorted[outer];
      high = sorted[sorted.size() - 1 - outer];
    }
  }

  Place
  PlaceAt(const Index & index) const
  {
    Place steps{};
    std::copy(index.begin(), index.end(), steps.begin());
    Place place = Turned(pointOfIndex, steps);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      place[d] += first[d];
    }
    return place;
  }

  unsigned int
  BinOf(double value) const
  {
    const double width = high - low;
    const double place = width > 0.0 ? bins * (value - low) / width : 0.0;
    return static_cast<unsigned int>(std::max(0.0, std::min(place, bins - 1.0)));
  }

  /** The image at a continuous index, linearly; its least value outside. */
  double
  ValueAt(const Place & index) const
  {
    Index base{};
    Place weight{};
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      const auto   last = static_cast<double>(size[d] - 1);
      const double margin = size[d] == 1 ? 0.5 : 1e-6; // a single slice is as thick as a voxel; else places are rounded
      if (!(index[d] >= -margin && index[d] <= last + margin))
      {
        return least;
      }
      const double at = std::max(0.0, std::min(index[d], last));
      base[d] = std::min(static_cast<std::ptrdiff_t>(at), std::max<std::ptrdiff_t>(size[d] - 2, 0));
      weight[d] = at - static_cast<double>(base[d]);
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
        offset = offset * size[d] + std::min(base[d] + (isNext ? 1 : 0), size[d] - 1);
      }
      sum += product != 0.0 ? product * values[static_cast<std::size_t>(offset)] : 0.0;
    }
    return sum;
  }

private:
  /** Where the coarse voxels are; how many voxels an axis each has. */
  Index
  Lay(const FieldGrid & grid)
  {
    constexpr std::ptrdiff_t most = 40; // voxels an axis
    double                   extent = 0.0;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      extent = std::max(extent, static_cast<double>(grid.size[d]) * grid.spacing[d]);
    }
    Index             factor{};
    FieldGrid::Vector corner{};
    std::size_t       count = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      factor[d] = std::max<std::ptrdiff_t>(1, static_cast<std::ptrdiff_t>(std::round(extent / most / grid.spacing[d])));
      factor[d] = std::min(factor[d], static_cast<std::ptrdiff_t>(grid.size[d]));
      size[d] = (static_cast<std::ptrdiff_t>(grid.size[d]) + factor[d] - 1) / factor[d];
      widest = std::max(widest, grid.spacing[d] * static_cast<double>(factor[d]));
      corner[d] = static_cast<double>(grid.start[d]) + 0.5 * static_cast<double>(factor[d] - 1);
      count *= static_cast<std::size_t>(size[d]);
    }
    const FieldGrid::Vector place = PlaceOfIndex(grid, corner);
    std::copy_n(place.begin(), VDimension, first.begin());
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        pointOfIndex[r][c] = grid.indexToPoint[r][c] * static_cast<double>(factor[c]);
        indexOfPoint[r][c] = grid.pointToIndex[r][c] / static_cast<double>(factor[r]);
      }
    }
    values.assign(count, 0.0);
    isUnderMask.resize(count);
    return factor;
  }

  template <typename TPixel>
  void
  Fill(const MaskedImage & image, const TPixel * pixels, const Index & factor, bool isBrief)
  {
    const FieldGrid &   grid = image.grid;
    const SpatialMask   mask(image.maskGrid, image.mask);
    std::vector<double> numbers(values.size(), 0.0);
    double              lowest = std::numeric_limits<double>::infinity();
    Index               stride{};
    Index               counted{};
    std::ptrdiff_t      all = 1;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      stride[d] = isBrief ? std::max<std::ptrdiff_t>(1, factor[d] / 3) : 1;
      counted[d] = (static_cast<std::ptrdiff_t>(grid.size[d]) + stride[d] - 1) / stride[d];
      all *= counted[d];
    }
    Index at{};
    for (std::ptrdiff_t number = 0; number < all; ++number, Advance(at, counted))
    {
      FieldGrid::Vector index{};
      std::ptrdiff_t    pixel = 0;
      std::ptrdiff_t    offset = 0;
      for (unsigned int d = VDimension; d-- > 0;)
      {
        const std::ptrdiff_t place = at[d] * stride[d];
        index[d] = static_cast<double>(static_cast<std::ptrdiff_t>(grid.start[d]) + place);
        pixel = pixel * static_cast<std::ptrdiff_t>(grid.size[d]) + place;
        offset = offset * size[d] + place / factor[d];
      }
      const auto value = static_cast<double>(pixels[pixel]);
      if (!std::isfinite(value))
      {
        continue;
      }
      lowest = std::min(lowest, value);
      if (image.mask == nullptr || isBrief || mask.IsInside(PlaceOfIndex(grid, index)))
      {
        values[static_cast<std::size_t>(offset)] += value;
        numbers[static_cast<std::size_t>(offset)] += 1.0;
      }
    }
    Index coarse{};
    for (std::size_t n = 0; n < values.size(); ++n, Advance(coarse, size))
    {
      if (isBrief && image.mask != nullptr)
      {
        const Place       place = this->PlaceAt(coarse);
        FieldGrid::Vector middle{};
        std::copy(place.begin(), place.end(), middle.begin());
        numbers[n] = mask.IsInside(middle) ? numbers[n] : 0.0;
      }
      isUnderMask[n] = numbers[n] > 0.0;
      values[n] = numbers[n] > 0.0 ? values[n] / numbers[n] : lowest;
    }
  }
};

/** Two coarse images, and how well transforms align them. */
template <unsigned int VDimension>
class CoarsePair
{
public:
  using Place = PlaceOf<VDimension>;
  using Matrix = MatrixOf<VDimension>;
  using Index = IndexOf<VDimension>;

  CoarsePair(const MaskedImage & fixed, const MaskedImage & moving, bool isBrief)
    : m_Fixed(fixed, isBrief)
    , m_Moving(moving, isBrief)
    , m_FixedBins(m_Fixed.values.size())
  {
    std::array<double, bins> parts{};
    for (std::size_t n = 0; n < m_FixedBins.size(); ++n)
    {
      m_FixedBins[n] = m_Fixed.BinOf(m_Fixed.values[n]);
      parts[m_FixedBins[n]] += 1.0 / static_cast<double>(m_FixedBins.size());
    }
    m_FixedEntropy = Entropy(parts.data(), bins);
  }

  /** The best rotation. */
  FoundRotation
  Find(const LinearTransform::Vector & centre,
       const LinearTransform::Vector & translation,
       const ExecutionContext &        context) const
  {
    std::vector<Pose> poses = MakePoses(translation);
    Place             about{};
    std::copy_n(centre.begin(), VDimension, about.begin());
    const auto forEach = [&](const auto & run) {
      context.ParallelFor(static_cast<std::int64_t>(poses.size()), [&](std::int64_t begin, std::int64_t end) {
        std::for_each(poses.begin() + begin, poses.begin() + end, run);
      });
    };
    forEach([&](Pose & pose) { pose.information = this->Judge(pose, about); });
    const auto isBetter = [](const Pose & a, const Pose & b) { return a.information > b.information; };
    std::stable_sort(poses.begin(), poses.end(), isBetter);
    constexpr std::size_t refined = 16;
    poses.resize(std::min(poses.size(), refined));
    forEach([&](Pose & pose) { this->Refine(pose, about); });
    std::stable_sort(poses.begin(), poses.end(), isBetter);

    const Pose &            best = poses.front();
    LinearTransform::Matrix matrix{};
    LinearTransform::Vector way{};
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      std::copy(best.matrix[r].begin(), best.matrix[r].end(), matrix[r].begin());
      way[r] = best.translation[r];
    }
    return { LinearTransform::OfRotation(VDimension, matrix, centre, way),
             m_FixedEntropy > 0.0 ? best.information / m_FixedEntropy : 0.0 };
  }

  ImageAgreement
  Agree(const std::function<LinearTransform::Vector(const LinearTransform::Vector &)> & transform) const
  {
    // What the moving image has where each coarse voxel of the fixed one goes.
    std::vector<unsigned int> values(m_Fixed.values.size());
    std::vector<std::size_t>  insides;
    Index                     index{};
    std::size_t               all = 0;
    std::size_t               inside = 0;
    // A mask of a few voxels may lie between all coarse ones: then it is the image that is looked at.
    const bool isMasked =
      std::find(m_Fixed.isUnderMask.begin(), m_Fixed.isUnderMask.end(), true) != m_Fixed.isUnderMask.end();
    for (std::size_t n = 0; n < m_Fixed.values.size(); ++n, Advance(index, m_Fixed.size))
    {
      const Place             from = m_Fixed.PlaceAt(index);
      LinearTransform::Vector point{};
      std::copy(from.begin(), from.end(), point.begin());
      const LinearTransform::Vector to = transform(point);
      Place                         way{};
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        way[d] = to[d] - m_Moving.first[d];
      }
      const Place place = Turned(m_Moving.indexOfPoint, way);
      bool        isInside = true;
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        isInside = isInside && place[d] >= -0.5 && place[d] <= static_cast<double>(m_Moving.size[d]) - 0.5;
      }
      if (m_Fixed.isUnderMask[n] || !isMasked)
      {
        ++all;
        inside += isInside ? 1 : 0;
      }
      values[n] = static_cast<unsigned int>(m_Moving.BinOf(m_Moving.ValueAt(place)));
      if (isInside)
      {
        insides.push_back(n);
      }
    }
    const double information = this->InformationOf(values);
    // By chance: the same values inside, anywhere. What lies outside says the same as before.
    std::mt19937  random(1);
    double        chance = 0.0;
    constexpr int times = 4;
    for (int time = 0; time < times; ++time)
    {
      for (std::size_t left = insides.size(); left > 1; --left)
      {
        std::swap(values[insides[left - 1]], values[insides[random() % left]]);
      }
      chance += this->InformationOf(values) / times;
    }
    ImageAgreement agreement;
    agreement.overlap = all > 0 ? static_cast<double>(inside) / static_cast<double>(all) : 0.0;
    agreement.explained = m_FixedEntropy > 0.0 ? std::max(0.0, information - chance) / m_FixedEntropy
                                               : std::numeric_limits<double>::quiet_NaN();
    return agreement;
  }

private:
  /** Mutual information of the fixed image and values of the moving one at its coarse voxels, in nats. */
  double
  InformationOf(const std::vector<unsigned int> & values) const
  {
    std::vector<double>      joint(std::size_t{ bins } * bins, 0.0);
    std::array<double, bins> moving{};
    const double             one = 1.0 / static_cast<double>(values.size());
    for (std::size_t n = 0; n < values.size(); ++n)
    {
      joint[std::size_t{ m_FixedBins[n] } * bins + values[n]] += one;
      moving[values[n]] += one;
    }
    return m_FixedEntropy + Entropy(moving.data(), bins) - Entropy(joint.data(), joint.size());
  }

  /** A rotation about the centre and a translation, and the mutual information of the aligned images. */
  struct Pose
  {
    Matrix matrix{};
    Place  translation{};
    double information{ 0.0 };
  };

  /** Mutual information, in nats. */
  double
  Judge(const Pose & pose, const Place & centre) const
  {
    // Index of the moving image: linear in that of the fixed one.
    const Matrix matrix = Product(m_Moving.indexOfPoint, Product(pose.matrix, m_Fixed.pointOfIndex));
    Place        away{};
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      away[d] = m_Fixed.first[d] - centre[d];
    }
    Place way = Turned(pose.matrix, away);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      way[d] += pose.translation[d] + (centre[d] - m_Moving.first[d]);
    }
    const Place         begin = Turned(m_Moving.indexOfPoint, way);
    std::vector<double> joint(std::size_t{ bins } * bins, 0.0);
    Index               index{};
    const double        part = 1.0 / static_cast<double>(m_Fixed.values.size());
    for (std::size_t n = 0; n < m_Fixed.values.size(); ++n, Advance(index, m_Fixed.size))
    {
      Place place = begin;
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        for (unsigned int c = 0; c < VDimension; ++c)
        {
          place[r] += matrix[r][c] * static_cast<double>(index[c]);
        }
      }
      joint[std::size_t{ m_FixedBins[n] } * bins + m_Moving.BinOf(m_Moving.ValueAt(place))] += part;
    }
    std::array<double, bins> moving{};
    for (std::size_t n = 0; n < joint.size(); ++n)
    {
      moving[n % bins] += joint[n];
    }
    return m_FixedEntropy + Entropy(moving.data(), bins) - Entropy(joint.data(), joint.size());
  }

  /** A rotation about an axis (in 2 dimensions the one), by an angle. */
  static Matrix
  Turn(unsigned int axis, double angle)
  {
    Matrix matrix{};
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      matrix[d][d] = 1.0;
    }
    const unsigned int next = VDimension == 2 ? 0 : (axis + 1) % VDimension;
    const unsigned int last = VDimension == 2 ? 1 : (axis + 2) % VDimension;
    matrix[next][next] = std::cos(angle);
    matrix[next][last] = -std::sin(angle);
    matrix[last][next] = std::sin(angle);
    matrix[last][last] = std::cos(angle);
    return matrix;
  }

  /** The identity, and rotations spread evenly. */
  static std::vector<Pose>
  MakePoses(const LinearTransform::Vector & translation)
  {
    Pose still;
    still.matrix = Turn(0, 0.0);
    std::copy_n(translation.begin(), VDimension, still.translation.begin());
    std::vector<Pose> poses{ still };
    if constexpr (VDimension == 2)
    {
      constexpr int number = 36;
      for (int n = 1; n < number; ++n)
      {
        still.matrix = Turn(0, 2.0 * pi * n / number);
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
        const double alpha = 2.0 * pi * s / phi;
        const double beta = 2.0 * pi * s / psi;
        const double x = r * std::sin(alpha);
        const double y = r * std::cos(alpha);
        const double z = q * std::sin(beta);
        const double w = q * std::cos(beta);
        still.matrix[0] = { 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w) };
        still.matrix[1] = { 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w) };
        still.matrix[2] = { 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y) };
        poses.push_back(still);
      }
    }
    return poses;
  }

  /** Goes to the best pose nearby: steps of angles and of coarse voxels that are halved where none helps. */
  void
  Refine(Pose & pose, const Place & centre) const
  {
    constexpr unsigned int turns = VDimension == 2 ? 1 : 3;
    double                 angle = (VDimension == 2 ? 5.0 : 12.0) * pi / 180.0;
    double                 way = m_Fixed.widest;
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
            tried.matrix = Product(Turn(parameter, sign * angle), pose.matrix);
          }
          else
          {
            tried.translation[parameter - turns] += sign * way;
          }
          tried.information = this->Judge(tried, centre);
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

  CoarseImage<VDimension>   m_Fixed;
  CoarseImage<VDimension>   m_Moving;
  std::vector<unsigned int> m_FixedBins;
  double                    m_FixedEntropy{ 0.0 };
};

void
Check(const MaskedImage & fixed, const MaskedImage & moving)
{
  const unsigned int dimension = fixed.grid.dimension;
  const auto         isOf = [dimension](const MaskedImage & image) {
    return image.pixels != nullptr && image.grid.dimension == dimension && image.grid.Count() > 0 &&
           (image.mask == nullptr || image.maskGrid.dimension == dimension);
  };
  if ((dimension != 2 && dimension != 3) || !isOf(fixed) || !isOf(moving))
  {
    throw std::invalid_argument("Images and masks to be aligned must have 2 or 3 dimensions.");
  }
}

} // namespace

FoundRotation
FindRotation(const MaskedImage &             fixed,
             const MaskedImage &             moving,
             const LinearTransform::Vector & centre,
             const LinearTransform::Vector & translation,
             const ExecutionContext &        context)
{
  Check(fixed, moving);
  return fixed.grid.dimension == 2 ? CoarsePair<2>(fixed, moving, false).Find(centre, translation, context)
                                   : CoarsePair<3>(fixed, moving, false).Find(centre, translation, context);
}

ImageAgreement
MeasureAgreement(const MaskedImage &                                                             fixed,
                 const MaskedImage &                                                             moving,
                 const std::function<LinearTransform::Vector(const LinearTransform::Vector &)> & transform)
{
  Check(fixed, moving);
  return fixed.grid.dimension == 2 ? CoarsePair<2>(fixed, moving, true).Agree(transform)
                                   : CoarsePair<3>(fixed, moving, true).Agree(transform);
}

} // namespace itk::CudaSpline

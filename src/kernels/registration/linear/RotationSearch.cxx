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

#include "kernels/registration/images/CoarseImage.h"

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

constexpr double pi = 3.14159265358979323846;

/** A resolution of the search. */
struct SearchScale
{
  std::ptrdiff_t voxels;   ///< size of the coarse images along their longest axes
  std::size_t    kept;     ///< number of poses that are refined
  double         angle;    ///< first step of the refinement (degrees)
  int            halvings; ///< number of times that steps are halved in the refinement
};

/** A rotation about the centre and a translation, and the mutual information of the aligned images. */
template <unsigned int VDimension>
struct Pose
{
  MatrixOf<VDimension> matrix{};
  PlaceOf<VDimension>  translation{};
  double               information{ 0.0 };
};

/** Returns the matrix of a rotation about a unit vector by Rodrigues' formula. In 2 dimensions the axis is z. */
template <unsigned int VDimension>
MatrixOf<VDimension>
MakeRotation(const PlaceOf<3> & axis, double angle)
{
  const double         cosine = std::cos(angle);
  const double         sine = std::sin(angle);
  MatrixOf<VDimension> matrix{};
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    for (unsigned int c = 0; c < VDimension; ++c)
    {
      const double sign = (c + 3 - r) % 3 == 1 ? -1.0 : 1.0;
      const double across = r == c ? cosine : sign * sine * axis[3 - r - c];
      matrix[r][c] = axis[r] * axis[c] * (1.0 - cosine) + across;
    }
  }
  return matrix;
}

/** Returns evenly distributed rotations: quaternions along a spiral on their sphere (Alexa, Super-Fibonacci Spirals,
 * CVPR 2022). */
std::vector<MatrixOf<3>>
MakeSpiralRotations()
{
  constexpr int            number = 600;
  constexpr double         phi = 1.4142135623730951;
  constexpr double         psi = 1.533751168755204288118041;
  std::vector<MatrixOf<3>> rotations;
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
    rotations.push_back({ { { 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w) },
                            { 2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w) },
                            { 2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y) } } });
  }
  return rotations;
}

/** Two coarse images, and the quality of their alignment by transforms. */
template <unsigned int VDimension>
class CoarsePair
{
public:
  using Place = PlaceOf<VDimension>;
  using Matrix = MatrixOf<VDimension>;
  using Index = IndexOf<VDimension>;
  using Pose = CudaSpline::Pose<VDimension>;

  CoarsePair(const MaskedImage & fixed, const MaskedImage & moving, std::ptrdiff_t voxels, const Residence & residence)
    : m_Fixed(fixed, fixed.grid, VDimension == 3, residence, voxels)
    , m_Moving(moving, moving.grid, VDimension == 3, residence, voxels)
    , m_Axes(FindAxes(m_Fixed))
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

  double
  GetFixedEntropy() const
  {
    return m_FixedEntropy;
  }

  /** Returns the identity, and evenly distributed rotations. */
  std::vector<Pose>
  MakePoses(const Place & translation) const
  {
    std::vector<Pose> poses{ { MakeRotation<VDimension>(m_Axes.front(), 0.0), translation, 0.0 } };
    if (m_Axes.size() == 1)
    {
      constexpr int number = 36;
      for (int n = 1; n < number; ++n)
      {
        poses.push_back({ MakeRotation<VDimension>(m_Axes.front(), 2.0 * pi * n / number), translation, 0.0 });
      }
    }
    else if constexpr (VDimension == 3)
    {
      for (const Matrix & matrix : MakeSpiralRotations())
      {
        poses.push_back({ matrix, translation, 0.0 });
      }
    }
    return poses;
  }

  /** Keeps the best poses and refines them. The best one is then the first. */
  void
  Select(std::vector<Pose> &      poses,
         const Place &            centre,
         const SearchScale &      scale,
         const ExecutionContext & context) const
  {
    const auto forEach = [&](const auto & run) {
      context.ParallelFor(static_cast<std::int64_t>(poses.size()), [&](std::int64_t begin, std::int64_t end) {
        std::for_each(poses.begin() + begin, poses.begin() + end, run);
      });
    };
    const auto isBetter = [](const Pose & a, const Pose & b) { return a.information > b.information; };
    forEach([&](Pose & pose) { pose.information = this->Judge(pose, centre); });
    std::stable_sort(poses.begin(), poses.end(), isBetter);
    poses.resize(std::min(poses.size(), scale.kept));
    forEach([&](Pose & pose) { this->Refine(pose, centre, scale); });
    std::stable_sort(poses.begin(), poses.end(), isBetter);
  }

private:
  /** Returns the mutual information in nats. */
  double
  Judge(const Pose & pose, const Place & centre) const
  {
    // The index in the moving image is a linear function of the index in the fixed one.
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

  /** Returns the axes of rotations: in 3 dimensions all axes, or the normal if there are only a few slices. */
  static std::vector<PlaceOf<3>>
  FindAxes(const CoarseImage<VDimension> & image)
  {
    const auto isThin = [](std::ptrdiff_t size) { return size <= 3; };
    if constexpr (VDimension == 3)
    {
      if (std::count_if(image.size.begin(), image.size.end(), isThin) != 1)
      {
        return { { 1.0, 0.0, 0.0 }, { 0.0, 1.0, 0.0 }, { 0.0, 0.0, 1.0 } };
      }
      const auto thin = std::find_if(image.size.begin(), image.size.end(), isThin) - image.size.begin();
      PlaceOf<3> normal{};
      for (unsigned int r = 0; r < VDimension; ++r)
      {
        normal[r] = image.pointOfIndex[r][thin] / image.voxels.spacing[thin];
      }
      return { normal };
    }
    return { { 0.0, 0.0, 1.0 } };
  }

  /** Searches the best pose nearby. Steps are angles and coarse voxels; they are halved if none improves the pose. */
  void
  Refine(Pose & pose, const Place & centre, const SearchScale & scale) const
  {
    const std::size_t rotations = m_Axes.size();
    double            angle = scale.angle * pi / 180.0;
    double            way = m_Fixed.widest;
    for (int halvings = 0; halvings < scale.halvings;)
    {
      Pose best = pose;
      for (std::size_t parameter = 0; parameter < rotations + VDimension; ++parameter)
      {
        for (const double sign : { -1.0, 1.0 })
        {
          Pose tried = pose;
          if (parameter < rotations)
          {
            tried.matrix = Product(MakeRotation<VDimension>(m_Axes[parameter], sign * angle), pose.matrix);
          }
          else
          {
            tried.translation[parameter - rotations] += sign * way;
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
        ++halvings;
      }
    }
  }

  CoarseImage<VDimension>   m_Fixed;
  CoarseImage<VDimension>   m_Moving;
  std::vector<PlaceOf<3>>   m_Axes;
  std::vector<unsigned int> m_FixedBins;
  double                    m_FixedEntropy{ 0.0 };
};

/** In 3 dimensions, many poses are compared at a low resolution, and a few at a higher one. */
template <unsigned int VDimension>
std::vector<SearchScale>
MakeScales()
{
  if (VDimension == 2)
  {
    return { { 40, 16, 5.0, 5 } };
  }
  return { { 20, 16, 12.0, 3 }, { 40, 3, 3.0, 4 } };
}

template <unsigned int VDimension>
FoundRotation
Search(const MaskedImage &             fixed,
       const MaskedImage &             moving,
       const LinearTransform::Vector & centre,
       const LinearTransform::Vector & translation,
       const Residence &               residence)
{
  PlaceOf<VDimension> middle{};
  PlaceOf<VDimension> shift{};
  std::copy_n(centre.begin(), VDimension, middle.begin());
  std::copy_n(translation.begin(), VDimension, shift.begin());
  std::vector<Pose<VDimension>> poses;
  double                        entropy = 0.0;
  for (const SearchScale & scale : MakeScales<VDimension>())
  {
    const CoarsePair<VDimension> pair(fixed, moving, scale.voxels, residence);
    poses = poses.empty() ? pair.MakePoses(shift) : poses;
    pair.Select(poses, middle, scale, residence.GetContext());
    entropy = pair.GetFixedEntropy();
  }
  const Pose<VDimension> & best = poses.front();
  LinearTransform::Matrix  matrix{};
  LinearTransform::Vector  way{};
  for (unsigned int r = 0; r < VDimension; ++r)
  {
    std::copy(best.matrix[r].begin(), best.matrix[r].end(), matrix[r].begin());
    way[r] = best.translation[r];
  }
  return { LinearTransform::OfRotation(VDimension, matrix, centre, way),
           entropy > 0.0 ? best.information / entropy : 0.0 };
}

} // namespace

FoundRotation
FindRotation(const MaskedImage &             fixed,
             const MaskedImage &             moving,
             const LinearTransform::Vector & centre,
             const LinearTransform::Vector & translation,
             const Residence &               residence)
{
  CheckCoarsePair(fixed, moving);
  return fixed.grid.dimension == 2 ? Search<2>(fixed, moving, centre, translation, residence)
                                   : Search<3>(fixed, moving, centre, translation, residence);
}

} // namespace itk::CudaSpline

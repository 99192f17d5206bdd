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

#include "kernels/registration/CoarseImage.h"

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

/** Two coarse images, and how well transforms align them. */
template <unsigned int VDimension>
class CoarsePair
{
public:
  using Place = PlaceOf<VDimension>;
  using Matrix = MatrixOf<VDimension>;
  using Index = IndexOf<VDimension>;

  CoarsePair(const MaskedImage & fixed, const MaskedImage & moving, const ExecutionContext & context)
    : m_Fixed(fixed, false, context)
    , m_Moving(moving, false, context)
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

private:
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

} // namespace

FoundRotation
FindRotation(const MaskedImage &             fixed,
             const MaskedImage &             moving,
             const LinearTransform::Vector & centre,
             const LinearTransform::Vector & translation,
             const ExecutionContext &        context)
{
  CheckCoarsePair(fixed, moving);
  return fixed.grid.dimension == 2 ? CoarsePair<2>(fixed, moving, context).Find(centre, translation, context)
                                   : CoarsePair<3>(fixed, moving, context).Find(centre, translation, context);
}

} // namespace itk::CudaSpline

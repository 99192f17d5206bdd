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
// Parameters that images do not determine. Expected: an image that is constant along an axis does not determine
// parameters along it, also if other stages follow. Blobs determine all parameters, also with few samples along an axis
// and at a hundredth of the contrast.

#include "kernels/registration/statistics/DeterminedParameters.h"

#include "itkCudaSpline/kernels/registration/ImagePyramid.h"
#include "itkCudaSpline/kernels/registration/ImageStatistics.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

using namespace itk::CudaSpline;

namespace
{

using Numbers = std::vector<std::size_t>;

class DeterminedParameters : public ::testing::Test
{
protected:
  DeterminedParameters()
  {
    m_Grid.size = { { 30, 34, 26 } };
    m_Grid.spacing = { { 1.5, 1.25, 2.0 } };
    this->Turn(0.0);
  }

  /** Rotates the axes of the grid about x. */
  void
  Turn(double angle)
  {
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    m_Grid.indexToPoint = { { { { m_Grid.spacing[0], 0.0, 0.0 } },
                              { { 0.0, c * m_Grid.spacing[1], -s * m_Grid.spacing[2] } },
                              { { 0.0, s * m_Grid.spacing[1], c * m_Grid.spacing[2] } } } };
    m_Grid.pointToIndex = InvertGridMatrix(m_Grid.indexToPoint, 3);
  }

  Numbers
  Find(LinearKind kind, const std::function<double(const std::array<double, 3> & index)> & image) const
  {
    std::vector<float> pixels;
    for (std::int64_t z = 0; z < m_Grid.size[2]; ++z)
    {
      for (std::int64_t y = 0; y < m_Grid.size[1]; ++y)
      {
        for (std::int64_t x = 0; x < m_Grid.size[0]; ++x)
        {
          pixels.push_back(
            static_cast<float>(image({ { static_cast<double>(x), static_cast<double>(y), static_cast<double>(z) } })));
        }
      }
    }
    MaskedImage both;
    both.grid = m_Grid;
    both.pixels = pixels.data();
    const FieldGrid::Vector middle{ { 14.5, 16.5, 0.5 * static_cast<double>(m_Grid.size[2] - 1) } };
    LinearTransform         transform(kind, 3, PlaceOfIndex(m_Grid, middle));
    return FindUndeterminedParameters(both, both, transform, m_Behind, Residence(ExecutionContext()));
  }

  FieldGrid          m_Grid;
  DisplacementSource m_Behind{ [](const FieldGrid & grid) {
    return std::vector<double>(static_cast<std::size_t>(grid.Count()) * grid.dimension, 0.0);
  } };
};

double
Blob(const std::array<double, 3> & index, const std::array<double, 3> & center, double width)
{
  return std::exp(
    -(std::pow(index[0] - center[0], 2) + std::pow(index[1] - center[1], 2) + std::pow(index[2] - center[2], 2)) /
    (2.0 * width * width));
}

double
Blobs(const std::array<double, 3> & index)
{
  return Blob(index, { { 10, 12, 9 } }, 4.0) + Blob(index, { { 19, 21, 14 } }, 3.0) +
         0.5 * Blob(index, { { 22, 10, 18 } }, 2.5) + 0.5 * Blob(index, { { 9, 24, 16 } }, 3.0);
}

TEST_F(DeterminedParameters, BlobsDetermineAll)
{
  for (const LinearKind kind :
       { LinearKind::Translation, LinearKind::Rigid, LinearKind::Similarity, LinearKind::Affine })
  {
    EXPECT_EQ(this->Find(kind, Blobs), Numbers()) << NameOf(kind);
  }
  this->Turn(0.7);
  EXPECT_EQ(this->Find(LinearKind::Affine, Blobs), Numbers());
  m_Grid.size[2] = 5;
  EXPECT_EQ(this->Find(LinearKind::Affine,
                       [](const auto & index) {
                         return Blobs({ { index[0], index[1], 3.0 * index[2] + 6.0 } });
                       }),
            Numbers());
}

TEST_F(DeterminedParameters, NothingAlongACylinder)
{
  const auto cylinder = [](const std::array<double, 3> & index) { return Blobs({ { index[0], index[1], 12.0 } }); };
  EXPECT_EQ(this->Find(LinearKind::Translation, cylinder), Numbers({ 2 }));
  EXPECT_EQ(this->Find(LinearKind::Rigid, cylinder), Numbers({ 5 }));
  EXPECT_EQ(this->Find(LinearKind::Similarity, cylinder), Numbers({ 5 }));
  EXPECT_EQ(this->Find(LinearKind::Affine, cylinder), Numbers({ 6, 7, 8, 11 }));
  this->Turn(0.3); // the y axis is mainly across the cylinder now
  EXPECT_EQ(this->Find(LinearKind::Translation, cylinder), Numbers({ 2 }));
  EXPECT_EQ(this->Find(LinearKind::Affine, cylinder), Numbers({ 6, 7, 8, 11 }));
}

/** A structure with a hundredth of the contrast determines the translation along a cylinder. */
TEST_F(DeterminedParameters, FaintStructuresDetermine)
{
  const auto image = [](const std::array<double, 3> & index) {
    return Blobs({ { index[0], index[1], 12.0 } }) + 0.02 * Blobs(index);
  };
  EXPECT_EQ(this->Find(LinearKind::Translation, image), Numbers());
}

/** A following stage that exchanges y and z: nothing is determined along y. */
TEST_F(DeterminedParameters, StagesBehindCount)
{
  m_Grid.size = { { 30, 30, 30 } };
  m_Grid.spacing = { { 1.0, 1.0, 1.0 } };
  this->Turn(0.0);
  m_Behind = [](const FieldGrid & grid) {
    std::vector<double> displacements;
    for (std::int64_t n = 0; n < grid.Count(); ++n)
    {
      const FieldGrid::Vector index{ { static_cast<double>(n % grid.size[0]),
                                       static_cast<double>(n / grid.size[0] % grid.size[1]),
                                       static_cast<double>(n / grid.size[0] / grid.size[1]) } };
      const FieldGrid::Vector point = PlaceOfIndex(grid, index);
      displacements.insert(displacements.end(), { 0.0, point[2] - point[1], point[1] - point[2] });
    }
    return displacements;
  };
  const auto cylinder = [](const std::array<double, 3> & index) { return Blobs({ { index[0], index[1], 12.0 } }); };
  EXPECT_EQ(this->Find(LinearKind::Translation, cylinder), Numbers({ 1 }));
  EXPECT_EQ(this->Find(LinearKind::Affine, cylinder), Numbers({ 3, 4, 5, 10 }));
}

/** There are too few samples to decide. */
TEST_F(DeterminedParameters, FewSamplesTellNothing)
{
  m_Grid.size = { { 7, 7, 7 } };
  EXPECT_EQ(this->Find(LinearKind::Translation, [](const auto & index) { return index[0]; }), Numbers());
}

} // namespace

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
#ifndef itkCudaSpline_math_LabelGaussian_h
#define itkCudaSpline_math_LabelGaussian_h

#include "itkCudaSpline/math/Geometry.h"
#include "itkCudaSpline/math/HostDevice.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/RoundedArithmetic.h"

#include <cmath>
#include <cstdint>

/** \file
 * \brief The label with the largest Gaussian weight in a neighbourhood, by the rule of
 * itk::LabelImageGaussianInterpolateImageFunction \cite{YushkevichGaussian}. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineMath
 * @{ */

/** \brief The Gaussian around a point and its cut-off. */
template <unsigned int VDimension>
struct LabelGaussian
{
  double sigma[VDimension];  ///< standard deviation (samples), above 0
  double cutOff[VDimension]; ///< half the width of the window (samples)

  /** Sets an axis from the parameters of ITK's class, with its roundings.
   *
   * \param[in] axis the axis
   * \param[in] deviation standard deviation (mm)
   * \param[in] alpha half the width of the window (standard deviations)
   * \param[in] spacing distance of the samples (mm) */
  CUDASPLINE_HOST_DEVICE void
  SetAxis(unsigned int axis, double deviation, double alpha, double spacing)
  {
    sigma[axis] = deviation / spacing;
    cutOff[axis] = RoundedProduct(deviation, alpha) / spacing;
  }
};

/** \brief The samples around a point that have a weight, and their weights along each axis: integrals of the Gaussian
 * over the samples.
 *
 * Weights of an axis are differences of the error function, twice the integral. They are tabulated for windows of up to
 * MaximumTabledWeights samples, and computed on each access for larger ones. */
template <unsigned int VDimension>
class LabelGaussianWindow
{
public:
  static constexpr std::int64_t MaximumTabledWeights = 16; ///< of each axis: a cut-off of 7 samples

  std::int64_t first[VDimension]; ///< relative to the first sample in memory
  std::int64_t count[VDimension]; ///< samples; 0 if the window is outside the memory

  /** \param[in] rule the Gaussian
   * \param[in] extent the samples in memory
   * \param[in] index continuous index (samples), in the index space of \p extent */
  template <typename TCoordinate>
  CUDASPLINE_HOST_DEVICE
  LabelGaussianWindow(const LabelGaussian<VDimension> & rule,
                      const GridExtent<VDimension> &    extent,
                      const TCoordinate (&index)[VDimension])
  {
    constexpr double sqrt2 = 1.41421356237309504880;
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      // ITK's clipping, in the type of its coordinates. Compared before the conversion to an integer: any cut-off is
      // supported.
      const double middle = RoundedSum(static_cast<double>(index[d]), 0.5);
      const double low = ::floor(static_cast<double>(RoundedTo<TCoordinate>(RoundedSum(middle, -rule.cutOff[d]))));
      const double high = ::ceil(static_cast<double>(RoundedTo<TCoordinate>(RoundedSum(middle, rule.cutOff[d]))));
      const std::int64_t end = extent.start[d] + extent.size[d];
      const std::int64_t from = low > static_cast<double>(extent.start[d])
                                  ? static_cast<std::int64_t>(low < 9e18 ? low : 9e18)
                                  : extent.start[d];
      const std::int64_t to =
        high < static_cast<double>(end) ? static_cast<std::int64_t>(high > -9e18 ? high : -9e18) : end;
      first[d] = from - extent.start[d];
      count[d] = to > from ? to - from : 0;
      m_Lower[d] = RoundedSum(static_cast<double>(from) - 0.5, -static_cast<double>(index[d]));
      m_Scale[d] = 1.0 / (sqrt2 * rule.sigma[d]);
      for (std::int64_t k = 0; count[d] <= MaximumTabledWeights && k < count[d]; ++k)
      {
        m_Table[d][k] = this->Integral(d, k);
      }
    }
  }

  /** True if no sample has a weight. */
  CUDASPLINE_HOST_DEVICE bool
  IsEmpty() const
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      if (count[d] == 0)
      {
        return true;
      }
    }
    return false;
  }

  /** Weight of a sample along an axis: not negative except for rounding.
   *
   * \param[in] axis the axis
   * \param[in] k samples from \c first */
  CUDASPLINE_HOST_DEVICE double
  Weight(unsigned int axis, std::int64_t k) const
  {
    return count[axis] <= MaximumTabledWeights ? m_Table[axis][k] : this->Integral(axis, k);
  }

private:
  CUDASPLINE_HOST_DEVICE double
  Integral(unsigned int axis, std::int64_t k) const
  {
    const double lower = m_Lower[axis] + static_cast<double>(k);
    return ::erf((lower + 1.0) * m_Scale[axis]) - ::erf(lower * m_Scale[axis]);
  }

  double m_Lower[VDimension]; // from the point to the lower end of the first sample
  double m_Scale[VDimension];
  double m_Table[VDimension][MaximumTabledWeights];
};

/** \brief Running sums of the weights of up to 16 labels, without a heap.
 *
 * A GPU thread has no std::map. 16 labels and sums are 256 bytes of its local memory, and more than 16 labels within
 * some samples around a point are rare in segmentations. With more labels the 16 smallest ones (as numbers) are kept. A
 * label that is kept to the end was among the smallest ones at its first sample: its sum is complete. Labels above the
 * largest kept one are left for the next pass over the samples. The running sums of a removed label were correct until
 * its removal. */
class LabelSums
{
public:
  static constexpr int MaximumLabels = 16; ///< maximum number of labels of one pass

  /** Clears the sums and accepts labels above the largest one that was kept. */
  CUDASPLINE_HOST_DEVICE void
  NextPass()
  {
    m_Floor = m_Label[this->Largest()];
    m_HasFloor = true;
    m_Overflowed = false;
    m_Count = 0;
  }

  /** True if labels are left for another pass. */
  CUDASPLINE_HOST_DEVICE bool
  HasMore() const
  {
    return m_Overflowed;
  }

  /** Adds a weight to a label's sum.
   *
   * \param[in] label the label
   * \param[in] weight the weight
   * \param[out] sum the label's running sum
   * \return false if the label belongs to another pass */
  CUDASPLINE_HOST_DEVICE bool
  Add(std::uint64_t label, double weight, double & sum)
  {
    // Neighbours mostly have the same label.
    if (m_Last >= m_Count || m_Label[m_Last] != label)
    {
      if (m_HasFloor && label <= m_Floor)
      {
        return false;
      }
      int k = 0;
      while (k < m_Count && m_Label[k] != label)
      {
        ++k;
      }
      if (k == m_Count)
      {
        if (m_Count < MaximumLabels)
        {
          ++m_Count;
        }
        else
        {
          m_Overflowed = true;
          k = this->Largest();
          if (label > m_Label[k])
          {
            return false;
          }
        }
        m_Label[k] = label;
        m_Sum[k] = 0.0;
      }
      m_Last = k;
    }
    m_Sum[m_Last] += weight;
    sum = m_Sum[m_Last];
    return true;
  }

private:
  CUDASPLINE_HOST_DEVICE int
  Largest() const
  {
    int largest = 0;
    for (int k = 1; k < m_Count; ++k)
    {
      largest = m_Label[k] > m_Label[largest] ? k : largest;
    }
    return largest;
  }

  std::uint64_t m_Label[MaximumLabels];
  double        m_Sum[MaximumLabels];
  std::uint64_t m_Floor{ 0 };
  int           m_Count{ 0 };
  int           m_Last{ 0 };
  bool          m_HasFloor{ false };
  bool          m_Overflowed{ false };
};

/** \brief Reads labels for LabelGaussianWinner() from elements of run-time type as bits, so that 64-bit labels are
 * distinguished. */
struct LabelReader
{
  const void * data; ///< first element, host or device
  ScalarType   type; ///< type of the elements

  /** The bits of an element; for -0 those of 0, which is the same label in ITK.
   *
   * \param[in] offset number of the element */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::uint64_t
                                           operator()(std::int64_t offset) const
  {
    const std::uint64_t bits = LoadBits(data, offset, SizeOf(type));
    return IsReal(type) && bits == std::uint64_t(1) << (8 * SizeOf(type) - 1) ? 0 : bits;
  }
};

/** \brief Finds a sample with the label that wins at a continuous index: the label with the largest sum of weights.
 *
 * The rule is that of itk::LabelImageGaussianInterpolateImageFunction. The samples around the point are visited with x
 * fastest, and each adds its weight to the sum of its label. The winner is the label whose sum was the first to exceed
 * all previous sums. If sums are equal, the label that reached it first wins; this holds for any number of labels here,
 * in as many passes as needed (LabelSums). The offset of a sample is returned, so that its bits can be copied: ITK's
 * labels are double, which does not distinguish labels beyond 2^53.
 *
 * There are two intentional differences. ITK adds the start index of an image twice, which misplaces its Gaussian
 * unless images start at 0; here it is around the point. ITK's error function, vnl_erf(), truncates its series early:
 * its error is up to 3.3e-8, that of the C library a unit of 2^-53 (two on a device). Another label may therefore win
 * if two sums differ by less than the bound below.
 *
 * \tparam TLabel LabelReader or a similar class
 * \param[in] rule the Gaussian
 * \param[in] extent the samples in memory
 * \param[in] index continuous index (samples), in the index space of \p extent
 * \param[in] label called with an offset (elements from the first sample, x fastest); returns a std::uint64_t
 * \return offset of a sample with the label (elements from the first); -1 if no weight is positive: 0 in ITK
 *
 * \par Accuracy
 * With weights of an axis that sum to at most 2, n samples per axis and an error e of the error function, the error of
 * a sum is at most VDimension 2 n e 2^(VDimension - 1): e = 2^-52 here, 3.3e-8 in ITK */
template <unsigned int VDimension, typename TCoordinate, typename TLabel>
CUDASPLINE_HOST_DEVICE inline std::int64_t
LabelGaussianWinner(const LabelGaussian<VDimension> & rule,
                    const GridExtent<VDimension> &    extent,
                    const TCoordinate (&index)[VDimension],
                    const TLabel & label)
{
  const LabelGaussianWindow<VDimension> window(rule, extent, index);
  std::int64_t                          winner = -1;
  if (window.IsEmpty())
  {
    return winner;
  }
  double       largest = 0.0;
  std::int64_t reached = 0; // number of visited samples when the largest sum was reached
  LabelSums    sums;
  for (bool more = true; more;)
  {
    std::int64_t met = 0;
    std::int64_t at[VDimension] = {};
    for (unsigned int axis = 0; axis < VDimension;)
    {
      double       weight = 1.0;
      std::int64_t offset = 0;
      for (unsigned int d = VDimension; d-- > 1;)
      {
        weight *= window.Weight(d, at[d]);
        offset = (offset + window.first[d] + at[d]) * extent.size[d - 1];
      }
      offset += window.first[0];
      for (std::int64_t k = 0; k < window.count[0]; ++k, ++met)
      {
        double sum = 0.0;
        if (sums.Add(label(offset + k), window.Weight(0, k) * weight, sum) &&
            (sum > largest || (sum == largest && met < reached)))
        {
          largest = sum;
          reached = met;
          winner = offset + k;
        }
      }
      // The next row.
      for (axis = 1; axis < VDimension && ++at[axis] == window.count[axis]; ++axis)
      {
        at[axis] = 0;
      }
    }
    more = sums.HasMore();
    if (more)
    {
      sums.NextPass();
    }
  }
  return winner;
}

/** @} */
} // namespace itk::CudaSpline

#endif

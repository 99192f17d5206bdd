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
#ifndef MetricSpline_h
#define MetricSpline_h

#include "itkCudaSpline/math/MetricSums.h"
#include "itkCudaSpline/math/TransformStage.h"

#include "kernels/metrics/samples/MetricArguments.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

/** \file
 * \brief Derivatives of a metric with respect to the coefficients of a B-spline stage.
 *
 * The Jacobian of a sample has (order + 1)^D nonzero columns for each axis of the displacement, each of which is a
 * product of one weight per axis. A sample adds only to these, and no Jacobian is stored. */

namespace itk::CudaSpline
{

/** \brief Data of the chain for a derivative with respect to coefficients. */
template <unsigned int VDimension>
struct SplineParameters
{
  const TransformStage<VDimension> * stages; ///< the chain
  int                                stage;  ///< index of the B-spline stage
  std::int64_t                       nodes;  ///< coefficients per axis
  /** Matrix M of the following stages, if all are Affine; else the identity, because gradients have already been
   * multiplied, or are not (ComesBack()). */
  double behind[VDimension][VDimension];

  /** \brief The stage itself. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE const TransformStage<VDimension> &
                                                 GetStage() const
  {
    return stages[stage];
  }
  /** \brief Maps a point of the virtual domain to the input of the stage (mm). */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Enter(const double (&place)[VDimension], double (&point)[VDimension]) const
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      point[d] = place[d];
    }
    if (stage > 0)
    {
      WalkStages(stages, stage, point);
    }
  }
  /** \brief Maps the output of the stage through the following stages (mm), all Affine.
   *
   * \param[in] count number of all stages */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Leave(int count, double (&point)[VDimension]) const
  {
    for (int next = stage + 1; next < count; ++next)
    {
      double from[VDimension];
      for (unsigned int d = 0; d < VDimension; ++d)
      {
        from[d] = point[d];
      }
      stages[next].map.Apply(from, point);
    }
  }
  /** \brief The force of a sample on a displacement of the stage: w M' g.
   *
   * \param[in] weight w
   * \param[in] gradient g (per mm of the moving image's space)
   * \param[out] force one component per axis */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  ForceOf(double weight, const double (&gradient)[VDimension], double (&force)[VDimension]) const
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      force[d] = 0.0;
      for (unsigned int i = 0; i < VDimension; ++i)
      {
        force[d] += behind[i][d] * gradient[i];
      }
      force[d] *= weight;
    }
  }
};

/** \brief SplineParameters of a descriptor: for its stage of B-splines, or of displacements. */
template <unsigned int VDimension>
SplineParameters<VDimension>
MakeSplineParameters(const MetricDescriptor & descriptor, const TransformStage<VDimension> * stages)
{
  SplineParameters<VDimension> parameters{};
  parameters.stages = stages;
  const std::size_t first = descriptor.GetStage().value();
  parameters.stage = static_cast<int>(first);
  parameters.nodes = TransformChain::CountOf(descriptor.chain.stages[first], 1);
  for (unsigned int d = 0; d < VDimension; ++d)
  {
    parameters.behind[d][d] = 1.0;
  }
  const bool isConstant = ComesBack(descriptor) && !descriptor.HasOuterJacobian();
  for (std::size_t stage = first + 1; stage < descriptor.chain.stages.size() && isConstant; ++stage)
  {
    double product[VDimension][VDimension]{};
    for (unsigned int r = 0; r < VDimension; ++r)
    {
      for (unsigned int c = 0; c < VDimension; ++c)
      {
        for (unsigned int k = 0; k < VDimension; ++k)
        {
          product[r][c] += descriptor.chain.stages[stage].matrix[r][k] * parameters.behind[k][c];
        }
      }
    }
    std::copy_n(&product[0][0], VDimension * VDimension, &parameters.behind[0][0]);
  }
  return parameters;
}

/** \brief Samples of the widest support along an axis: that of order 3. */
inline constexpr int WidestSupport = 4;

/** \brief Maximum number of samples of a chunk: on a device the samples of a cell of the grid are summed chunk by
 * chunk.
 *
 * \param[in] samples number of samples: some thousands of chunks keep a device busy, and each has a cost */
inline std::uint32_t
ChunkSamples(std::int64_t samples)
{
  constexpr std::int64_t batch = 256;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(samples / 4096 / batch * batch, 1024, 4096));
}

/** \brief Maximum number of chunks for some samples.
 *
 * \param[in] samples number of samples
 * \param[in] nodes nodes of the grid: each cell, and the samples that no node affects, may have a chunk that is not
 * full */
inline std::int64_t
MaxChunks(std::int64_t samples, std::int64_t nodes)
{
  return std::min(samples, samples / ChunkSamples(samples) + nodes + 1);
}

/** \brief TransformStage::FindSupport() for a run-time order; weights beyond the support are 0. */
template <unsigned int VDimension>
CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
FindPaddedSupport(const TransformStage<VDimension> & stage,
                  const double (&point)[VDimension],
                  double (&weights)[VDimension][WidestSupport],
                  std::int64_t & offset)
{
  const auto find = [&](auto order) {
    constexpr unsigned int support = decltype(order)::value + 1;
    double                 own[VDimension][support];
    const bool             exists = stage.template FindSupport<support - 1>(point, own, offset);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      for (unsigned int k = 0; k < static_cast<unsigned int>(WidestSupport); ++k)
      {
        weights[d][k] = exists && k < support ? own[d][k] : 0.0;
      }
    }
    return exists;
  };
  switch (stage.order)
  {
    case 1:
      return find(std::integral_constant<unsigned int, 1>());
    case 2:
      return find(std::integral_constant<unsigned int, 2>());
    default:
      return find(std::integral_constant<unsigned int, 3>());
  }
}

/** \brief MetricSums with derivatives with respect to coefficients instead of moments.
 *
 * \tparam VSets sets of weights, 1 or 2 */
template <unsigned int VDimension, unsigned int VSets>
class SplineSums
{
public:
  /** Sets of weights. */
  static constexpr unsigned int Sets = VSets;
  /** See MetricSums. */
  static constexpr bool AnyPass = false;

  /** \param[in] parameters parameters of the chain, which must outlive this object
   * \param[in,out] coefficients destination: planes of nodes for each set and axis */
  CUDASPLINE_HOST_DEVICE
  SplineSums(const SplineParameters<VDimension> & parameters, double * coefficients)
    : m_Parameters(parameters)
    , m_Coefficients(coefficients)
  {}

  /** Counts a sample. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddSample()
  {
    m_Sums.AddSample();
  }

  /** Adds to a sum of values. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddValue(unsigned int which, double value)
  {
    m_Sums.AddValue(which, value);
  }

  /** Adds the force of a sample to the coefficients on which its point depends: w B(x)' M' g.
   *
   * \param[in] set number of the set
   * \param[in] weight w
   * \param[in] gradient g (per mm of the moving image's space), x first
   * \param[in] place x (mm): moments about 0 */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddForce(unsigned int set, double weight, const double (&gradient)[VDimension], const double (&place)[VDimension])
  {
    double point[VDimension];
    double force[VDimension];
    m_Parameters.ForceOf(weight, gradient, force);
    m_Parameters.Enter(place, point);
    double * const planes = m_Coefficients + set * VDimension * m_Parameters.nodes;
    switch (m_Parameters.GetStage().order)
    {
      case 1:
        this->Scatter<1>(point, force, planes);
        break;
      case 2:
        this->Scatter<2>(point, force, planes);
        break;
      default:
        this->Scatter<3>(point, force, planes);
        break;
    }
  }

  /** Count and values. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE const MetricSums<VDimension, 0> &
                                                 GetSums() const
  {
    return m_Sums;
  }

private:
  template <unsigned int VOrder>
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Scatter(const double (&point)[VDimension], const double (&force)[VDimension], double * planes) const
  {
    const TransformStage<VDimension> & stage = m_Parameters.GetStage();
    double                             weights[VDimension][VOrder + 1];
    std::int64_t                       offset = 0;
    if (!stage.template FindSupport<VOrder>(point, weights, offset))
    {
      return;
    }
    constexpr unsigned int support = VOrder + 1;
    const std::int64_t     row = stage.extent.size[0];
    for (unsigned int slice = 0; slice < (VDimension == 3 ? support : 1); ++slice)
    {
      for (unsigned int line = 0; line < support; ++line)
      {
        double       weight = weights[1][line];
        std::int64_t at = offset + static_cast<std::int64_t>(line) * row;
        if constexpr (VDimension == 3)
        {
          weight *= weights[2][slice];
          at += static_cast<std::int64_t>(slice) * row * stage.extent.size[1];
        }
        for (unsigned int d = 0; d < VDimension; ++d)
        {
          double * const to = planes + static_cast<std::int64_t>(d) * m_Parameters.nodes + at;
          const double   part = weight * force[d];
          for (unsigned int k = 0; k < support; ++k)
          {
            to[k] += part * weights[0][k];
          }
        }
      }
    }
  }

  const SplineParameters<VDimension> & m_Parameters;
  double *                             m_Coefficients;
  MetricSums<VDimension, 0>            m_Sums;
};

/** \brief MetricSums with the force of a sample on its own displacement instead of moments. */
template <unsigned int VDimension>
class SampleForce
{
public:
  /** Sets of weights. */
  static constexpr unsigned int Sets = 1;
  /** See MetricSums. */
  static constexpr bool AnyPass = false;

  /** \param[in] parameters parameters of the chain, which must outlive this object */
  CUDASPLINE_HOST_DEVICE explicit SampleForce(const SplineParameters<VDimension> & parameters)
    : m_Parameters(parameters)
  {}

  /** Counts a sample. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddSample()
  {
    m_Sums.AddSample();
  }
  /** Adds to a sum of values. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddValue(unsigned int which, double value)
  {
    m_Sums.AddValue(which, value);
  }
  /** Stores w M' g. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddForce(unsigned int, double weight, const double (&gradient)[VDimension], const double (&)[VDimension])
  {
    m_Parameters.ForceOf(weight, gradient, m_Force);
  }
  /** Writes the force of the last added sample, or 0 if none was added, and clears it. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  Store(double * force)
  {
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      force[d] = m_Force[d];
      m_Force[d] = 0.0;
    }
  }
  /** Count and values. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE const MetricSums<VDimension, 0> &
                                                 GetSums() const
  {
    return m_Sums;
  }

private:
  const SplineParameters<VDimension> & m_Parameters;
  double                               m_Force[VDimension]{};
  MetricSums<VDimension, 0>            m_Sums;
};

} // namespace itk::CudaSpline

#endif

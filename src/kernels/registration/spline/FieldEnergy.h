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
#ifndef FieldEnergy_h
#define FieldEnergy_h

#include "itkCudaSpline/kernels/common/Residence.h"
#include "itkCudaSpline/kernels/fields/Field.h"
#include "itkCudaSpline/kernels/registration/Regularizers.h"

#include "kernels/registration/forces/ForceSum.h"
#include "kernels/registration/spline/SplinePointEnergy.h"

#include <cstddef>
#include <cstdint>

/** \file
 * \brief Energies of a displacement field, and their forces.
 *
 * Energies are means over the samples. First derivatives are central differences, one-sided at the ends of an axis.
 * Second derivatives are differences of neighbouring samples, and mixed ones central differences; they are left out
 * where a neighbour is missing. The force at a sample is minus the derivative of the energy with respect to its
 * displacement, in the scale of the metric's force: times the number of valid samples if that is the derivative of a
 * sum over them. */

namespace itk::CudaSpline
{

/** \brief The energy of a sample, and the force on it. Fields in a plane have one sample along the third axis. */
struct FieldEnergyTerm
{
  FieldNumbers field; ///< displacements (mm)
  FieldNumbers force; ///< the forces are added; without data: not computed
  EnergySum *  terms; ///< weighted energy, one per sample
  /** Number of valid samples, in the memory of the backend, if the metric's force is the derivative of a sum over them.
   * Null: it is that of the metric's value. */
  const std::int64_t * valid;
  double               samples;            ///< number of samples
  double               pointToIndex[3][3]; ///< samples per mm
  double               perMm[3];           ///< lengths of its rows
  PointDensity<3>      density;
  double               bending;
  double               elasticity;
  std::int32_t         dimension;
  FieldWalk            walk;

  using Matrix = double[3][3];

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  operator()(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    Matrix             unused = {};
    EnergySum          term;
    term.value = this->AddStress(at, unused);
    if (bending > 0.0)
    {
      term.value += bending * this->BendingAt(at);
    }
    terms[offset] = term;
    if (force.data == nullptr)
    {
      return;
    }
    double derivative[3] = {};
    if (elasticity > 0.0 || density.weights.variation > 0.0 || density.weights.jacobian > 0.0)
    {
      this->AddOfGradients(at, derivative);
    }
    if (bending > 0.0)
    {
      this->AddOfBending(at, derivative);
    }
    const double scale = (valid != nullptr ? static_cast<double>(*valid) : 1.0) / samples;
    for (std::int32_t component = 0; component < dimension; ++component)
    {
      const std::int64_t number = offset * dimension + component;
      force.Store(number, force.Load(number) - scale * derivative[component]);
    }
  }

private:
  /** Distances from a sample to those whose difference is the derivative along an axis. */
  struct Difference
  {
    std::int64_t lower;
    std::int64_t upper;
    double       factor; ///< 0 if the axis has one sample
  };

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE Difference
  DifferenceAt(std::int64_t at, std::int64_t size) const
  {
    const std::int64_t lower = at > 0 ? -1 : 0;
    const std::int64_t upper = at + 1 < size ? 1 : 0;
    return { lower, upper, upper > lower ? 1.0 / static_cast<double>(upper - lower) : 0.0 };
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE std::int64_t
                                           Stride(int axis) const
  {
    return axis == 0 ? 1 : axis == 1 ? walk.size[0] : walk.size[0] * walk.size[1];
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  Load(std::int64_t sample, std::int32_t component) const
  {
    return field.Load(sample * dimension + component);
  }

  /** Adds the derivative of the density at a sample with respect to the gradient there. \return the density */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  AddStress(const std::int64_t (&at)[3], Matrix & stress) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    Matrix             gradient = {};
    for (int axis = 0; axis < 3; ++axis)
    {
      const Difference   difference = this->DifferenceAt(at[axis], walk.size[axis]);
      const std::int64_t stride = this->Stride(axis);
      for (std::int32_t component = 0; component < dimension; ++component)
      {
        const double change = difference.factor * (this->Load(offset + difference.upper * stride, component) -
                                                   this->Load(offset + difference.lower * stride, component));
        for (std::int32_t d = 0; d < dimension; ++d)
        {
          gradient[component][d] += change * pointToIndex[axis][d];
        }
      }
    }
    double value = density(gradient, stress);
    for (int n = 0; n < 9 && elasticity > 0.0; ++n)
    {
      const double strain = 0.5 * (gradient[n / 3][n % 3] + gradient[n % 3][n / 3]);
      value += elasticity * strain * strain;
      stress[n / 3][n % 3] += 2.0 * elasticity * strain;
    }
    return value;
  }

  /** Adds the derivative of the densities of a sample and of its neighbours, whose gradients depend on it. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddOfGradients(const std::int64_t (&at)[3], double (&derivative)[3]) const
  {
    for (int n = 0; n < 9; ++n)
    {
      const int          axis = n / 3;
      const std::int64_t step = n % 3 - 1;
      std::int64_t       other[3] = { at[0], at[1], at[2] };
      other[axis] += step;
      if (other[axis] < 0 || other[axis] >= walk.size[axis])
      {
        continue;
      }
      const Difference difference = this->DifferenceAt(other[axis], walk.size[axis]);
      const double     factor =
        difference.factor * ((difference.upper == -step ? 1.0 : 0.0) - (difference.lower == -step ? 1.0 : 0.0));
      if (factor == 0.0)
      {
        continue;
      }
      Matrix stress = {};
      this->AddStress(other, stress);
      for (std::int32_t component = 0; component < dimension; ++component)
      {
        for (std::int32_t d = 0; d < dimension; ++d)
        {
          derivative[component] += factor * pointToIndex[axis][d] * stress[component][d];
        }
      }
    }
  }

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE bool
  IsInner(std::int64_t at, int axis) const
  {
    return at > 0 && at + 1 < walk.size[axis];
  }

  /** A second derivative along an axis. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  SecondAlong(std::int64_t offset, int axis, std::int32_t component) const
  {
    const std::int64_t stride = this->Stride(axis);
    return perMm[axis] * perMm[axis] *
           (this->Load(offset + stride, component) - 2.0 * this->Load(offset, component) +
            this->Load(offset - stride, component));
  }

  /** A mixed second derivative. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  SecondAcross(std::int64_t offset, int a, int b, std::int32_t component) const
  {
    const std::int64_t one = this->Stride(a);
    const std::int64_t two = this->Stride(b);
    return 0.25 * perMm[a] * perMm[b] *
           (this->Load(offset + one + two, component) - this->Load(offset + one - two, component) -
            this->Load(offset - one + two, component) + this->Load(offset - one - two, component));
  }

  /** The sum of the squares of all second derivatives at a sample. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE double
  BendingAt(const std::int64_t (&at)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    double             sum = 0.0;
    for (int n = 0; n < 9; ++n)
    {
      const int a = n / 3;
      const int b = n % 3;
      for (std::int32_t component = 0; component < dimension && this->IsInner(at[a], a) && this->IsInner(at[b], b);
           ++component)
      {
        const double second =
          a == b ? this->SecondAlong(offset, a, component) : this->SecondAcross(offset, a, b, component);
        sum += second * second;
      }
    }
    return sum;
  }

  /** Adds the derivative of the bending energies of a sample and of its neighbours. */
  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE void
  AddOfBending(const std::int64_t (&at)[3], double (&derivative)[3]) const
  {
    const std::int64_t offset = OffsetOf(walk, at);
    for (int axis = 0; axis < 3; ++axis)
    {
      for (int step = -1; step <= 1; ++step)
      {
        const double factor = 2.0 * bending * perMm[axis] * perMm[axis] * (step == 0 ? -2.0 : 1.0);
        for (std::int32_t component = 0; component < dimension && this->IsInner(at[axis] + step, axis); ++component)
        {
          derivative[component] += factor * this->SecondAlong(offset + step * this->Stride(axis), axis, component);
        }
      }
    }
    for (int n = 0; n < 12; ++n) // pairs of axes, and neighbours along both
    {
      const int    a = n / 4 == 2 ? 1 : 0;
      const int    b = n / 4 == 0 ? 1 : 2;
      const int    one = n % 2 == 0 ? -1 : 1;
      const int    two = n % 4 < 2 ? -1 : 1;
      const double factor = 4.0 * bending * 0.25 * perMm[a] * perMm[b] * one * two;
      for (std::int32_t component = 0;
           component < dimension && this->IsInner(at[a] + one, a) && this->IsInner(at[b] + two, b);
           ++component)
      {
        derivative[component] +=
          factor * this->SecondAcross(offset + one * this->Stride(a) + two * this->Stride(b), a, b, component);
      }
    }
  }
};

/** \brief The arguments of the energies of a field. */
struct FieldEnergyArguments
{
  FieldEnergyTerm term;
  FieldGrid       grid;
  EnergySum *     sums;  ///< CountOrderedSums()
  EnergySum *     total; ///< the sum of the weighted energies of all samples
};

/** \brief Calls \p enqueue with the bodies that compute the energies. */
template <typename TEnqueue>
void
WalkFieldEnergy(const FieldEnergyArguments & arguments, const TEnqueue & enqueue)
{
  const FieldWalk & walk = arguments.term.walk;
  enqueue(arguments.term);
  enqueue(OrderedSums<EnergySum>{
    arguments.term.terms, arguments.sums, walk.size[0], { { walk.size[1] * walk.size[2], 1, 1 } } });
  WalkSumsOfRows(arguments.grid, arguments.sums, arguments.total, enqueue);
}

/** \brief The same on a device. */
void
WalkFieldEnergyOnCuda(const FieldEnergyArguments & arguments, const Residence & residence);

/** \brief The energies of fields of one shape, with their memory. */
class FieldEnergy
{
public:
  /** No energies. */
  FieldEnergy() = default;
  /** \param[in] shape shape of the fields
   * \param[in] weights weights of the energies
   * \param[in] residence memory of the backend
   * \exception std::invalid_argument a weight is negative or not finite
   * \exception DeviceError out of memory, or a lost device */
  FieldEnergy(const FieldShape & shape, const Regularizers & weights, const Residence & residence);

  /** \brief Computes the energies of a field, and adds their forces. The call does not wait.
   *
   * \param[in] field displacements (mm), in the memory of the backend
   * \param[in,out] force forces; null: not computed
   * \param[in] valid see FieldEnergyTerm::valid */
  void
  Add(const void * field, void * force, const std::int64_t * valid) const;

  /** The weighted sum of the energies after the last Add(). The call waits. */
  double
  GetValue() const;

  /** Bytes that an object allocates. */
  static std::size_t
  CountBytes(const FieldShape & shape, const Regularizers & weights);

private:
  FieldShape           m_Shape;
  FieldEnergyArguments m_Arguments{};
  Residence            m_Residence;
  ResidentArray        m_Terms; ///< those of samples, then sums of rows and planes, then the total
};

} // namespace itk::CudaSpline

#endif

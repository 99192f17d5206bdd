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
#include "itkCudaSpline/kernels/registration/Lbfgs.h"

#include "itkCudaSpline/kernels/registration/ConvergenceWindow.h"

#include "kernels/registration/optimizers/LbfgsVectors.h"
#include "kernels/registration/optimizers/LineSearch.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace itk::CudaSpline
{

namespace
{
constexpr int History = Lbfgs::History;

void
Require(bool holds, const char * what)
{
  if (!holds)
  {
    throw std::invalid_argument(std::string("L-BFGS: ") + what + ".");
  }
}
} // namespace

struct Lbfgs::Parts
{
  static constexpr int Vectors = 7 + 2 * History;

  Parts(std::int64_t places, unsigned int components, const Residence & where)
    : residence(where)
    , count(static_cast<std::size_t>(places) * components)
    , memory(Vectors * count * sizeof(double), where)
    , scratch(CountLbfgsScratch(places, where), where)
  {
    double * next = memory.As<double>();
    vectors.places = places;
    vectors.components = components;
    for (double ** vector : { &best,
                              &vectors.at,
                              &vectors.before,
                              &vectors.base,
                              &vectors.gradient,
                              &vectors.baseGradient,
                              &vectors.direction })
    {
      *vector = next;
      next += count;
    }
    for (int pair = 0; pair < History; ++pair)
    {
      vectors.steps[pair] = next;
      vectors.changes[pair] = next + count;
      next += 2 * count;
    }
    ClearResident(memory.Data(), memory.Bytes(), where); // no value is read that is not a number
  }

  void
  Copy(double * to, const double * from) const
  {
    CopyResident(to, from, count * sizeof(double), residence);
  }

  /** Remembers the iteration that ends with a step; the inner products become those with its vectors, too. */
  void
  Remember(const LbfgsProducts & products, double step)
  {
    using Which = LbfgsProducts::Which;
    const double * const of = products.numbers;
    const int            known = vectors.pairs;
    slot = newest = (newest + 1) % History;
    vectors.pairs = std::min(known + 1, History);
    for (int pair = 0; pair < known; ++pair)
    {
      stepChange[pair][slot] = of[Which::StepY + pair];
      stepChange[slot][pair] = step * of[Which::ChangeDirection + pair];
      changeChange[pair][slot] = changeChange[slot][pair] = of[Which::ChangeY + pair];
      stepGradient[pair] = of[Which::StepGradient + pair];
      changeGradient[pair] = of[Which::ChangeGradient + pair];
    }
    stepChange[slot][slot] = step * of[Which::DirectionY];
    changeChange[slot][slot] = of[Which::YY];
    stepGradient[slot] = step * of[Which::DirectionGradient];
    changeGradient[slot] = of[Which::YGradient];
  }

  /** Turns to the next direction and takes the first step along it; false where it does not go down. */
  bool
  Turn(const LbfgsProducts & products, double value, double step)
  {
    LbfgsTurn turn{ vectors, slot, step, 0.0, -1.0, {}, {} };
    // The two loops of Nocedal's recursion, by factors of gradient, changes and steps instead of vectors.
    double alpha[History] = {};
    for (int n = 0; n < vectors.pairs; ++n)
    {
      const int pair = (newest - n + History) % History;
      double    product = turn.ofGradient * stepGradient[pair];
      for (int other = 0; other < vectors.pairs; ++other)
      {
        product += turn.ofChanges[other] * stepChange[pair][other];
      }
      alpha[pair] = product / stepChange[pair][pair];
      turn.ofChanges[pair] -= alpha[pair];
    }
    if (vectors.pairs > 0)
    {
      const double scale = stepChange[newest][newest] / changeChange[newest][newest];
      turn.ofGradient *= scale;
      for (int pair = 0; pair < vectors.pairs; ++pair)
      {
        turn.ofChanges[pair] *= scale;
      }
    }
    for (int n = vectors.pairs - 1; n >= 0; --n)
    {
      const int pair = (newest - n + History) % History;
      double    product = turn.ofGradient * changeGradient[pair];
      for (int other = 0; other < vectors.pairs; ++other)
      {
        product += turn.ofChanges[other] * changeChange[pair][other] + turn.ofSteps[other] * stepChange[other][pair];
      }
      turn.ofSteps[pair] += alpha[pair] - product / stepChange[pair][pair];
    }
    double slope = turn.ofGradient * products.numbers[LbfgsProducts::GradientGradient];
    for (int pair = 0; pair < vectors.pairs; ++pair)
    {
      slope += turn.ofChanges[pair] * changeGradient[pair] + turn.ofSteps[pair] * stepGradient[pair];
    }
    // A length of 1 / 0 or NaN is invalid.
    const double length = vectors.pairs > 0
                            ? rules.stepLength
                            : rules.firstStep / std::sqrt(products.numbers[LbfgsProducts::GradientGradient]);
    if (!(slope < 0.0) || !std::isfinite(length))
    {
      return false;
    }
    search.emplace(value, slope, length, rules.lineSearchAccuracy);
    turn.length = search->GetStep();
    WalkLbfgs(turn, residence);
    return true;
  }

  /** Goes on from an evaluation. */
  LbfgsStop
  Advance(const LbfgsProducts & products, double value)
  {
    double step = 0.0;
    slot = -1;
    if (search)
    {
      step = search->GetStep();
      switch (search->Take(value, products.numbers[LbfgsProducts::DirectionGradient]))
      {
        case LineSearchState::Searching:
          WalkLbfgs(LbfgsMove{ vectors, search->GetStep() }, residence);
          return LbfgsStop::None;
        case LineSearchState::Failed:
          return LbfgsStop::LineSearch;
        default:
          break;
      }
      this->Remember(products, step);
      if (std::sqrt(products.numbers[LbfgsProducts::GradientGradient]) /
            std::max(1.0, std::sqrt(products.numbers[LbfgsProducts::AtAt])) <=
          rules.gradientTolerance)
      {
        return LbfgsStop::Gradient;
      }
    }
    return this->Turn(products, value, step) ? LbfgsStop::None : LbfgsStop::LineSearch;
  }

  Residence                 residence;
  std::size_t               count; ///< numbers of a vector
  ResidentArray             memory;
  ResidentArray             scratch;
  LbfgsVectors              vectors;
  double *                  best{ nullptr };
  LbfgsFunction             function;
  LbfgsRules                rules;
  std::optional<LineSearch> search; ///< along the direction; none before the first one
  int                       newest{ -1 };
  int                       slot{ -1 }; ///< of the iteration that ends with this evaluation
  double                    stepChange[History][History]{};
  double                    changeChange[History][History]{};
  double                    stepGradient[History]{};
  double                    changeGradient[History]{};
  double                    bestValue{ std::numeric_limits<double>::max() };
  unsigned int              evaluations{ 0 };
  FallRate                  fallRate;

  /** Whether there may be another evaluation. */
  bool
  MayEvaluate() const
  {
    return evaluations < rules.evaluations || (evaluations < rules.limit && fallRate.GetValue() > FastFall);
  }
  LbfgsStop stop{ LbfgsStop::None };
};

Lbfgs::Lbfgs(std::int64_t          places,
             unsigned int          components,
             const double *        start,
             const LbfgsFunction & function,
             const LbfgsRules &    rules,
             const Residence &     residence)
{
  Require(places > 0 && components > 0, "at least 1 parameter is needed");
  for (const double length : { rules.firstStep, rules.stepLength })
  {
    Require(length > 0.0 && std::isfinite(length), "the length of steps must be above 0");
  }
  Require(rules.lineSearchAccuracy > 0.0 && rules.lineSearchAccuracy < 1.0,
          "the accuracy of the line search must be above 0 and less than 1");
  Require(rules.gradientTolerance >= 0.0, "the tolerance of the gradient must be at least 0");
  m_Parts = std::make_unique<Parts>(places, components, residence);
  m_Parts->function = function;
  m_Parts->rules = rules;
  for (double * to : { m_Parts->vectors.at, m_Parts->vectors.before, m_Parts->best })
  {
    m_Parts->Copy(to, start);
  }
}

Lbfgs::~Lbfgs() = default;

std::optional<LbfgsEvaluation>
Lbfgs::Evaluate()
{
  Parts & parts = *m_Parts;
  if (parts.stop == LbfgsStop::None && !parts.MayEvaluate())
  {
    parts.stop = LbfgsStop::Evaluations;
  }
  if (parts.stop != LbfgsStop::None)
  {
    return std::nullopt;
  }
  parts.residence.Wait(); // functions have streams of their own
  LbfgsEvaluation evaluation;
  evaluation.value = parts.function(parts.vectors.at, parts.vectors.gradient);
  if (!std::isfinite(evaluation.value))
  {
    evaluation.value = std::numeric_limits<double>::max();
  }
  const LbfgsProducts products = SumLbfgsProducts(parts.vectors, parts.scratch.Data(), parts.residence);
  parts.fallRate.Add(evaluation.value);
  evaluation.number = ++parts.evaluations;
  evaluation.gradient = std::sqrt(products.numbers[LbfgsProducts::GradientGradient]);
  evaluation.way = std::sqrt(products.numbers[LbfgsProducts::SquaredWay]);
  if (evaluation.value < parts.bestValue)
  {
    parts.bestValue = evaluation.value;
    parts.Copy(parts.best, parts.vectors.at);
  }
  parts.stop = parts.MayEvaluate() ? parts.Advance(products, evaluation.value) : parts.stop;
  return evaluation;
}

LbfgsStop
Lbfgs::GetStop() const
{
  return m_Parts->stop;
}

unsigned int
Lbfgs::CountEvaluations() const
{
  return m_Parts->evaluations;
}

double
Lbfgs::GetFallRate() const
{
  return m_Parts->fallRate.GetValue();
}

const double *
Lbfgs::GetBest() const
{
  return m_Parts->best;
}

double
Lbfgs::GetBestValue() const
{
  return m_Parts->bestValue;
}

std::size_t
Lbfgs::CountBytes(std::int64_t places, unsigned int components)
{
  constexpr std::size_t products = std::size_t(1) << 20; // their sums by block are less
  return Parts::Vectors * static_cast<std::size_t>(places) * components * sizeof(double) + products;
}

} // namespace itk::CudaSpline

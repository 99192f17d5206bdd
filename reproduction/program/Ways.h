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
#ifndef Ways_h
#define Ways_h

#include "Picture.h"

#include "itkCudaSpline/kernels/coefficients/SampleSource.h"
#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

/** \brief A way to interpolate, by the names that the reports use. */
struct Way
{
  std::string                         name;
  itk::CudaSpline::Interpolation      interpolation{ itk::CudaSpline::Interpolation::BSpline };
  unsigned int                        order{ 3 };
  itk::CudaSpline::EvaluationMode     mode{ itk::CudaSpline::EvaluationMode::Exact };
  itk::CudaSpline::CoefficientStorage storage{ itk::CudaSpline::CoefficientStorage::Element };
  int                                 tableEntries{ 0 };
  itk::CudaSpline::PrefilterMethod    method;
  itk::CudaSpline::ScalarType         element{ itk::CudaSpline::ScalarType::Float32 };
  itk::CudaSpline::Extension          extension{ itk::CudaSpline::Extension::Mirror };
  bool                                unbounded{ false }; ///< points beyond the samples have values, by the extension

  /** \brief The way of a name.
   *
   * nearest, linear, cubic and catmull-rom are exact in single precision; *-double the same in double; linear-texture,
   * cubic-texture and cubic-table (128 weights) use linearly filtered fetches; cubic-firN has N taps; cubic-unfiltered
   * takes samples for coefficients; cubic-half and cubic-int16 have coefficients of 16 bits; order-2, order-4 and
   * order-5 are the other B-splines.
   *
   * \exception std::invalid_argument another name */
  static Way
  Of(const std::string & name);

  /** What a source of samples is made into. */
  itk::CudaSpline::SourceDescriptor
  Describe(const Picture & picture) const;
};

/** \brief Continuous indices of the input from indices of the output: matrix times index plus offset. */
struct IndexMap
{
  std::array<std::array<double, 3>, 3> matrix{ { { { 1, 0, 0 } }, { { 0, 1, 0 } }, { { 0, 0, 1 } } } };
  std::array<double, 3>                offset{ { 0, 0, 0 } };

  /** \brief Turns about the centre of the samples: in the plane, or about the space diagonal of a volume.
   * \param[in] size samples an axis
   * \param[in] dimension 2 or 3
   * \param[in] degrees the angle */
  static IndexMap
  Rotation(const std::array<std::int64_t, 3> & size, unsigned int dimension, double degrees);

  /** \brief Enlarges: outer borders fall on each other.
   * \param[in] factor how many times the output has the samples of the input, an axis */
  static IndexMap
  Zoom(double factor);

  /** \brief Scales about a centre and shifts: input = (output - centre) scale + centre + shift, as 002 does. */
  static IndexMap
  ScaleAndShift(const std::array<double, 3> & centre, double scale, const std::array<double, 3> & shift);

  /** The continuous index of an output index. */
  std::array<double, 3>
  Apply(const std::array<std::int64_t, 3> & index) const;
};

using SourcePointer = std::shared_ptr<const itk::CudaSpline::SampleSource>;

/** A source of a picture. */
SourcePointer
MakeSourceOf(const Way & way, const Picture & picture, const itk::CudaSpline::ExecutionContext & context);

/** \brief A resampling of pictures of one size, by one way and map. */
class Resampling
{
public:
  /** \param[in] way how
   * \param[in] input size of the input
   * \param[in] dimension 2 or 3
   * \param[in] map from output to input
   * \param[in] output size of the output */
  Resampling(const Way &                         way,
             const std::array<std::int64_t, 3> & input,
             unsigned int                        dimension,
             const IndexMap &                    map,
             const std::array<std::int64_t, 3> & output);

  Resampling(const Resampling &) = delete; // the descriptor points to the ends
  Resampling &
  operator=(const Resampling &) = delete;

  /** The values of a source. Outside of the samples, within half of one, they are 0. */
  Picture
  Run(const itk::CudaSpline::SampleSource & source, const itk::CudaSpline::ExecutionContext & context) const;

  /** What the kernels layer is asked for. */
  const itk::CudaSpline::ResampleDescriptor &
  GetDescriptor() const
  {
    return m_Descriptor;
  }

private:
  unsigned int                        m_Dimension;
  std::array<std::int64_t, 3>         m_Output;
  std::vector<double>                 m_Ends;
  itk::CudaSpline::ResampleDescriptor m_Descriptor;
};

/** \brief Resamples a picture: source, values. */
Picture
Resampled(const std::string &                       way,
          const Picture &                           picture,
          const IndexMap &                          map,
          const std::array<std::int64_t, 3> &       output,
          const itk::CudaSpline::ExecutionContext & context);

#endif

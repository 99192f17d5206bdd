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
#ifndef itkCudaRegistrationParameterScalesFromPhysicalShift_h
#define itkCudaRegistrationParameterScalesFromPhysicalShift_h

#include "itkCudaSplineBackend.h"
#include "itkCudaSpline/itk/Compatibility.h"
#include "itkCudaSpline/kernels/common/Execution.h"

#include "itkBSplineTransform.h"
#include "itkDisplacementFieldTransform.h"
#include "itkMultiThreaderBase.h"
#include "itkRegistrationParameterScalesFromPhysicalShift.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace itk
{

/** \class CudaRegistrationParameterScalesFromPhysicalShift
 * \brief Scales of parameters and of steps from the shift of points, on all threads of the host and with the local
 * support of B-splines and displacement fields.
 *
 * Replaces RegistrationParameterScalesFromPhysicalShift, which walks all voxels of the virtual domain with one thread
 * for each step of a B-spline or displacement field transform, and the whole array of parameters for each parameter. It
 * runs on the host, because it evaluates few points.
 *
 * - EstimateScales() of a B-spline transform moves only the coefficients that affect a sample, and maps only the
 *   affected samples; for a displacement field it changes single vectors.
 * - EstimateStepScale() of a B-spline transform or displacement field evaluates the displacement of the step in blocks
 *   of voxels, in the order of a bound from the coefficients (CudaSpline::LargestPhysicalShift()).
 * - EstimateLocalStepScales(), and everything else that ITK does point by point, runs on all threads.
 *
 * The first two hold for BSplineTransform of orders 1 to 3 and DisplacementFieldTransform with linear interpolation, in
 * double precision, alone or as the only optimized transform of a CompositeTransform. For the step, the transforms
 * after it must be linear. GetReason() returns the reason if ITK's transform was evaluated point by point.
 *
 * \par Accuracy
 * Results equal ITK's bit for bit, except EstimateStepScale() of B-splines and displacement fields: both are
 * differences of points, so they differ by some 1e-14 of the largest coordinate (mm).
 *
 * EstimateLocalStepScales() of a B-spline transform, for which ITK writes beyond the end of an array, throws.
 *
 * \tparam TMetric the metric, as in ITK
 *
 * \sa RegistrationParameterScalesFromPhysicalShift
 * \ingroup CudaSpline */
template <typename TMetric>
class ITK_TEMPLATE_EXPORT CudaRegistrationParameterScalesFromPhysicalShift
  : public RegistrationParameterScalesFromPhysicalShift<TMetric>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CudaRegistrationParameterScalesFromPhysicalShift);

  /** Types of ITK's conventions. */
  ///@{
  using Self = CudaRegistrationParameterScalesFromPhysicalShift;
  using Superclass = RegistrationParameterScalesFromPhysicalShift<TMetric>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;
  using ScalesType = typename Superclass::ScalesType;
  using ParametersType = typename Superclass::ParametersType;
  using FloatType = typename Superclass::FloatType;
  using VirtualPointType = typename Superclass::VirtualPointType;
  using VirtualIndexType = typename Superclass::VirtualIndexType;
  ///@}

  /** Makes an object, by a registered factory where there is one. */
  itkCudaSplineNewMacro(Self);
  /** Name of the class. */
  itkCudaSplineTypeMacro(CudaRegistrationParameterScalesFromPhysicalShift,
                         RegistrationParameterScalesFromPhysicalShift);

  /** Dimension of the virtual domain. */
  static constexpr unsigned int Dimension = TMetric::VirtualDimension;

  /** True where supports can be exploited at all: in double precision, between spaces of one dimension up to 3. */
  static constexpr bool IsAccelerated = std::is_same<typename TMetric::ParametersValueType, double>::value &&
                                        Dimension <= 3 && TMetric::FixedDimension == Dimension &&
                                        TMetric::MovingDimension == Dimension;

  /** Threads, as ITK's filters have them.
   *
   * \param[in] number work units, 1 at least */
  ///@{
  void
  SetNumberOfWorkUnits(ThreadIdType number)
  {
    m_Threader->SetNumberOfWorkUnits(number);
  }
  ThreadIdType
  GetNumberOfWorkUnits() const
  {
    return m_Threader->GetNumberOfWorkUnits();
  }
  ///@}

  /** The reason if the last estimate evaluated ITK's transform point by point, otherwise empty. */
  const std::string &
  GetReason() const
  {
    return m_Reason;
  }

  /** Scales of the parameters.
   *
   * \param[out] scales one a local parameter
   * \exception ExceptionObject exceptions of ITK's class */
  void
  EstimateScales(ScalesType & scales) override;

  /** The largest shift of a voxel by a step (mm).
   *
   * \param[in] step change of the parameters
   * \exception ExceptionObject exceptions of ITK's class */
  FloatType
  EstimateStepScale(const ParametersType & step) override;

  /** The shift of each voxel by a step (mm), of a displacement field.
   *
   * \param[in] step change of the parameters
   * \param[out] localStepScales one a vector of the field
   * \exception ExceptionObject what ITK's class throws, and that the transform is a B-spline */
  void
  EstimateLocalStepScales(const ParametersType & step, ScalesType & localStepScales) override;

protected:
  CudaRegistrationParameterScalesFromPhysicalShift();
  ~CudaRegistrationParameterScalesFromPhysicalShift() override = default;

  /** Prints the number of threads and the reason. */
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** ITK's shifts, sample by sample on all threads. */
  void
  ComputeSampleShifts(const ParametersType & deltaParameters, ScalesType & sampleShifts) override;

  /** ITK's samples, all voxels on all threads. */
  void
  SampleVirtualDomain() override;

private:
  using TransformType = Transform<double, Dimension, Dimension>;
  using FieldTransformType = DisplacementFieldTransform<double, Dimension>;
  using PointType = typename TransformType::InputPointType;

  /** The one transform to optimize among those that a point goes through, in their order. */
  struct Optimized
  {
    std::vector<const TransformType *> before;
    const TransformType *              transform{ nullptr }; ///< null: there are several, or none
  };

  /** The transform that is estimated; null where it has other dimensions. */
  const TransformType *
  GetEstimatedTransform();
  Optimized
  FindOptimized();
  static void
  AppendTransforms(const TransformType *                transform,
                   bool                                 counts,
                   std::vector<const TransformType *> & order,
                   std::vector<std::size_t> &           optimized);
  /** The vector field transform, where it is ITK's very class with linear interpolation; else null. */
  static const FieldTransformType *
  AsField(const TransformType * transform);

  /** EstimateScales() by supports; false where the transform is another one. */
  ///@{
  bool
  EstimateScalesOfSpline(ScalesType & scales);
  template <unsigned int VOrder>
  bool
  EstimateScalesOfOrder(const Optimized & optimized, ScalesType & scales);
  bool
  EstimateScalesOfField(ScalesType & scales);
  ///@}

  /** The shifts of the voxels by a step; false where the transform is another one. */
  bool
  EstimateShift(const ParametersType & step, FloatType & shift);

  /** Points that the transform maps, on all threads. */
  template <typename TPoint>
  void
  MapPoints(std::vector<TPoint> & mapped);

  CudaSpline::ExecutionContext
  MakeContext() const;

  MultiThreaderBase::Pointer m_Threader;
  CudaSplineHostExecutor     m_Executor;
  std::string                m_Reason;
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkCudaRegistrationParameterScalesFromPhysicalShift.hxx"
#endif

#endif

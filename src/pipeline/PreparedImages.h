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
#ifndef pipeline_PreparedImages_h
#define pipeline_PreparedImages_h

#include "itkCudaSpline/pipeline/RegistrationForecast.h"

#include "itkCudaSpline/kernels/fields/SlidingRegions.h"
#include "itkCudaSpline/kernels/registration/Landmarks.h"
#include "itkCudaSpline/kernels/registration/LevelOptions.h"

#include "kernels/registration/spline/NodeShares.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace itk::CudaSpline
{

class PipelineMessages;

/** \brief The images of a registration in their memory, and the changes of their values. */
class PreparedImages
{
public:
  /** \param[in] input images, which are borrowed
   * \param[in] host threads of the host */
  PreparedImages(const RegistrationInput & input, const ExecutionContext & host);

  const FieldGrid &
  GetFixedGrid() const
  {
    return m_Pairs.front().fixed.grid;
  }
  const FieldGrid &
  GetMovingGrid() const
  {
    return m_Pairs.front().moving.grid;
  }
  ScalarType
  GetPixel() const
  {
    return m_Pairs.front().fixed.pixel;
  }
  const std::vector<ImagePair> &
  GetPairs() const
  {
    return m_Pairs;
  }
  bool
  AreOnDevice() const
  {
    return m_Device >= 0;
  }

  /** Replaces the masks of all pairs by those of other pairs. */
  void
  SetMasks(const std::vector<ImagePair> & pairs);

  /** Clips the values of each image to its quantiles. */
  void
  Clip(const std::array<double, 2> & quantiles);

  /** Multiplies values that metrics would neglect, or that would overflow, by powers of two.
   *
   * \return the factors of each pair */
  std::vector<std::array<double, 2>>
  Rescale(const RegistrationSpec & spec, const std::function<void(const PipelineWarning &)> & warn);

  /** Describes the first image of pairs that has only one value, under its mask if it has one; empty: each has more.
   *
   * \param[in] begin,end numbers of the pairs */
  std::string
  DescribeConstantImage(std::size_t begin, std::size_t end) const;

  /** An image whose mask is in host memory; its pixels are not moved. It is valid as long as this object. */
  MaskedImage
  WithMaskOnHost(const MaskedImage & image);

  /** The backend with the pixels.
   *
   * \param[in] others devices that share the work with that of the pixels */
  Residence
  MakeResidence(const std::vector<int> & others = {}) const;

  /** Computes images from label maps, which stages compare with mean squares. */
  void
  SetLabels(const LabelPair & labels, PipelineMessages & messages);

  /** Number of pairs of images that were computed from label maps. */
  std::size_t
  CountLabelPairs() const
  {
    return m_Labels.size();
  }

  /** Regions that slide; none if there is no map, or only one label. */
  const SlidingRegions &
  GetSlidingRegions() const
  {
    return m_Regions;
  }

  /** Whether samples of the fixed image are in different regions. */
  bool
  HasRegionBorder() const;

  /** Landmarks with the weight of a stage. */
  LandmarkTerm
  MakeLandmarks(const StageSpec & stage) const
  {
    const double weight = stage.landmarkWeight.value_or(0.0);
    return { weight > 0.0 ? m_Landmarks : std::vector<Landmark>(), weight };
  }

  /** Number of landmarks with a point outside its image. */
  std::size_t
  CountOutsideLandmarks() const;

  /** How well the images of the first pair agree.
   *
   * \param[in] whole stages from the fixed image to the moving one, in the memory of the images
   * \param[in] linear linear the initial and the linear ones among them; null: the significance is not measured */
  ImageAgreement
  MeasureAgreement(const std::vector<TransformChain::Stage> & whole, const std::vector<TransformChain::Stage> * linear);

  /** Parameters of a transform that the first pair does not determine; see the function of the same name.
   *
   * \param[in] transform initial transform of a stage
   * \param[in] behind stages after it, in the memory of the images
   * \return empty in a forecast */
  std::vector<std::size_t>
  FindUndeterminedParameters(const LinearTransform & transform, const std::vector<TransformChain::Stage> & behind);

  /** Fraction of the fixed image of the first pair, under the mask of a pair, that is inside both images of the pair.
   *
   * \param[in] pair number of the pair
   * \param[in] stages from the fixed image to the moving one, in the memory of the images
   * \return exactly 0 only if no voxel is inside */
  double
  MeasureOverlap(std::size_t pair, const std::vector<TransformChain::Stage> & stages);

  /** Samples of a grid that are under the mask of the first fixed image, if it has one.
   *
   * \param[in] grid grid inside the image
   * \param[in] enough the count may stop at this number */
  std::int64_t
  CountSamples(const FieldGrid & grid, std::int64_t enough);
  /** Extent of the mask of the first fixed image along the axes of the image, as a part of the image's own; 1 without a
   * mask. */
  std::array<double, 3>
  MeasureMask();

  /** MeasureNodeShares() under the mask of the fixed image. */
  NodeShares
  MeasureNodeShares(const TransformChain::Stage & spline, const FieldGrid & grid);

  /** Whether the first fixed image has a mask. */
  bool
  HasMask() const
  {
    return m_Pairs.front().fixed.mask != nullptr;
  }

  /** Bytes of the images that a stage compares, with their masks. */
  std::size_t
  CountBytes(const StageSpec & stage) const;

  /** Whether an image that a stage compares has a mask. */
  bool
  HasMasks(const StageSpec & stage) const;

  /** The fixed images that a stage compares: those of the pairs, then those of label maps. */
  std::vector<SynSide>
  MakeFixed(const StageSpec & stage, const Residence & residence) const;

  /** The moving images, with the stages that follow the optimized transform. */
  std::vector<SynSide>
  MakeMoving(const StageSpec &                          stage,
             const std::vector<TransformChain::Stage> & behind,
             const Residence &                          residence) const;

  /** Makes Run() estimate operations from now on, instead of running them. */
  void
  ForecastInto(StageForecast & forecast)
  {
    m_Forecast = &forecast;
  }

  /** Runs an operation on all images: on their device, or on the backend that the user requests or that is expected to
   * finish first.
   *
   * If the user requests several devices that cannot share arrays, a shared operation runs on the first one.
   *
   * \param[in] work work of the operation
   * \param[in] plan plan of its memory on a device, for a budget
   * \param[in] run runs the operation; called a second time if a device fails
   * \param[in] device the user's choice
   * \param[in] isShared whether several devices share the work; else the first one does it
   * \return with the devices that did the work */
  RunRecord
  Run(const std::function<OperationWork()> &         work,
      const std::function<MemoryPlan(std::size_t)> & plan,
      const std::function<void(const Residence &)> & run,
      const std::string &                            device,
      bool                                           isShared = false) const;

private:
  SynSide
  MakeSide(const MaskedImage & image, const Residence & residence) const;
  /** Replaces the pixels of an image with a function of them. */
  template <typename TFunctor>
  void
  Transform(MaskedImage & image, const TFunctor & functor);
  const void *
  ToHost(const void * data, std::size_t bytes);
  /** The displacements of the samples of a grid (mm), in host memory. */
  std::vector<double>
  SampleDisplacements(const FieldGrid & grid, const std::vector<TransformChain::Stage> & stages) const;
  double
  CountInside(std::size_t                                pair,
              const FieldGrid &                          grid,
              const std::vector<TransformChain::Stage> & stages,
              double &                                   all);

  /** The pairs that a stage compares. */
  std::vector<const ImagePair *>
  Select(const StageSpec & stage) const;
  /** Replaces the pixels of an image by new memory, which this object keeps. */
  void
  SetPixels(MaskedImage & image, const std::shared_ptr<void> & made);

  std::vector<ImagePair>               m_Pairs;
  std::vector<ImagePair>               m_Labels; ///< computed from label maps
  std::vector<Landmark>                m_Landmarks;
  SlidingRegions                       m_Regions;
  int                                  m_Device;
  StreamHandle                         m_Stream;
  ExecutionContext                     m_Host;
  StageForecast *                      m_Forecast{ nullptr }; ///< null: operations are run
  std::vector<std::shared_ptr<void>>   m_Kept;                ///< arrays of this object
  std::map<const void *, const void *> m_HostCopies;          ///< of arrays on a device
};

} // namespace itk::CudaSpline

#endif

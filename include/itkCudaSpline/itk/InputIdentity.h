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
#ifndef itkCudaSpline_itk_InputIdentity_h
#define itkCudaSpline_itk_InputIdentity_h

#include "itkCudaSpline/itk/PixelTraits.h"

#include "itkIntTypes.h"
#include "itkMultiTransform.h"
#include "itkObject.h"
#include "itkSpatialObject.h"

#include <utility>
#include <vector>

namespace itk::CudaSplineDetail
{
/** \addtogroup CudaSpline
 * @{ */

/** \brief Identifies the inputs of a result: objects with their modification times, options, and few parameters. If two
 * are equal, no input was replaced or modified in between.
 *
 * \code
 * InputIdentity now;
 * now.AddImage(image);
 * now.AddTransform(transform);
 * const bool isStillValid = now == madeFrom; // recorded when the result was computed
 * \endcode */
class InputIdentity
{
public:
  /** \brief Adds an object with its modification time. It may be null. */
  void
  Add(const Object * object)
  {
    m_Objects.emplace_back(object, object != nullptr ? object->GetMTime() : 0);
  }

  /** \brief Adds options, as a number that identifies them. */
  void
  AddOptions(ModifiedTimeType options)
  {
    m_Objects.emplace_back(nullptr, options);
  }

  /** \brief Adds an image whose pixels may be read in its buffer: the pixel container can change without the image.
   *
   * \tparam TImage type of the image
   * \param[in] image may be null */
  template <typename TImage>
  void
  AddImage(const TImage * image)
  {
    this->Add(image);
    if constexpr (ImageTraits<TImage>::IsReadable)
    {
      this->Add(image != nullptr ? image->GetPixelContainer() : nullptr);
      m_Objects.emplace_back(image != nullptr ? image->GetBufferPointer() : nullptr, 0);
    }
  }

  /** \brief Adds a mask, which can be moved without being modified.
   *
   * \tparam VDimension dimension of the space
   * \param[in] mask may be null */
  template <unsigned int VDimension>
  void
  AddMask(const SpatialObject<VDimension> * mask)
  {
    this->Add(mask);
    this->Add(mask != nullptr ? mask->GetObjectToWorldTransform() : nullptr);
  }

  /** \brief Adds a point set, whose SetPoint() modifies only its points.
   *
   * \tparam TPointSet type of the point set
   * \param[in] points may be null */
  template <typename TPointSet>
  void
  AddPoints(const TPointSet * points)
  {
    this->Add(points);
    this->Add(points != nullptr ? points->GetPoints() : nullptr);
  }

  /** \brief Adds a transform. Adds the transforms in a composite one, nested to any depth: the composite's modification
   * time and parameters do not cover all of them.
   *
   * An optimizer outside ITK may write parameters without a new modification time. Parameters are therefore compared if
   * there are few of them, which excludes fields and grids.
   *
   * \tparam TTransform an itk::Transform
   * \param[in] transform not null */
  template <typename TTransform>
  void
  AddTransform(const TTransform * transform)
  {
    constexpr typename TTransform::NumberOfParametersType few = 64;
    this->Add(transform);
    if (transform->GetNumberOfParameters() <= few)
    {
      const auto & values = transform->GetParameters();
      m_Parameters.insert(m_Parameters.end(), values.data_block(), values.data_block() + values.Size());
    }
    if constexpr (TTransform::InputSpaceDimension == TTransform::OutputSpaceDimension)
    {
      using Parts = MultiTransform<typename TTransform::ParametersValueType,
                                   TTransform::InputSpaceDimension,
                                   TTransform::OutputSpaceDimension>;
      if (const auto * const parts = dynamic_cast<const Parts *>(transform))
      {
        for (SizeValueType part = 0; part < parts->GetNumberOfTransforms(); ++part)
        {
          this->AddTransform<TTransform>(parts->GetNthTransformConstPointer(part));
        }
      }
    }
  }

  /** \brief Whether both have the same inputs in the same state. */
  bool
  operator==(const InputIdentity & other) const
  {
    return m_Objects == other.m_Objects && m_Parameters == other.m_Parameters;
  }

private:
  std::vector<std::pair<const void *, ModifiedTimeType>> m_Objects; ///< with their modification times
  std::vector<double>                                    m_Parameters;
};

/** @} */
} // namespace itk::CudaSplineDetail

#endif

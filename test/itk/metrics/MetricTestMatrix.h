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
#ifndef CudaSplineTest_MetricTestMatrix_h
#define CudaSplineTest_MetricTestMatrix_h

#include "MetricTestSupport.h"

/** \file
 * \brief The cases in which each metric is compared with ITK's. */

namespace CudaSplineTest
{

using Image2D = itk::Image<float, 2>;
using Image3D = itk::Image<float, 3>;
using DoubleImage2D = itk::Image<double, 2>;
using DoubleImage3D = itk::Image<double, 3>;

/** Tests of a metric. For the tolerances see MetricTolerance.
 *
 * \tparam TReference ITK's metric
 * \tparam TMetric the module's, for an image type */
template <template <typename> class TReference, template <typename> class TMetric>
class MetricMatrix : public GpuOnAndOff
{
protected:
  /** Returns the tolerances of a case: the promises of CudaSplineImageMetric. ITK's coefficients of orders 2 to 5 have
   * errors of up to 4e-10 of the largest pixel (its recursion starts with an error of 1e-10), which is amplified here
   * relative to the difference of the images. With float pixels such a small difference may also change a rounding to
   * float. */
  virtual MetricTolerance
  ToleranceOf(const MetricCase & what) const
  {
    const bool isFiltered = what.splineOrder >= 2;
    return what.isDouble ? (isFiltered ? MetricTolerance{ 2e-9, 1e-8 } : MetricTolerance{ 1e-12, 1e-10 })
                         : MetricTolerance{ 1e-6, 1e-5 };
  }

  /** Double and single precision. */
  template <typename TImage>
  void
  Compare(MetricCase what)
  {
    const MetricImages<TImage> images;
    for (const bool isDouble : { true, false })
    {
      what.isDouble = isDouble;
      CompareMetric<TReference<TImage>, TMetric<TImage>>(what, images, this->ToleranceOf(what), GetParam());
    }
  }

  void
  CompareTransforms()
  {
    for (const std::string & transform : MetricTransforms<2>())
    {
      MetricCase what;
      what.transform = transform;
      this->template Compare<Image2D>(what);
    }
    for (const std::string & transform : MetricTransforms<3>())
    {
      MetricCase what;
      what.transform = transform;
      this->template Compare<Image3D>(what);
    }
  }

  void
  CompareSplineTransforms()
  {
    for (const std::string & transform : SplineTransforms())
    {
      for (int choice = 0; choice < 4; ++choice)
      {
        MetricCase what;
        what.transform = transform;
        what.fixedMask = choice == 1;
        what.movingMask = choice == 2;
        what.sampling = choice == 3 ? 2 : 0;
        what.centralDifferences = choice == 1;
        this->template Compare<Image2D>(what);
        this->template Compare<Image3D>(what);
      }
    }
    MetricCase cubic;
    cubic.transform = "B-spline";
    cubic.splineOrder = 3;
    cubic.ownDomain = true;
    this->template Compare<DoubleImage3D>(cubic);
  }

  void
  CompareInterpolators()
  {
    for (const bool centralDifferences : { false, true })
    {
      for (const int order : { -2, -1, 0, 1, 2, 3, 4, 5 })
      {
        MetricCase what;
        what.splineOrder = order;
        what.centralDifferences = centralDifferences;
        this->template Compare<Image3D>(what);
        if (order == 3 || order < 0)
        {
          this->template Compare<Image2D>(what);
          this->template Compare<DoubleImage3D>(what);
        }
      }
    }
  }

  void
  CompareMasksAndSampling()
  {
    for (int choice = 0; choice < 24; ++choice)
    {
      MetricCase what;
      what.transform = "rigid";
      what.fixedMask = (choice & 1) != 0;
      what.movingMask = (choice & 2) != 0;
      what.ownDomain = (choice & 4) != 0;
      what.sampling = choice / 8;
      what.centralDifferences = choice % 3 == 0;
      this->template Compare<Image3D>(what);
      this->template Compare<Image2D>(what);
    }
  }
};

} // namespace CudaSplineTest

#endif

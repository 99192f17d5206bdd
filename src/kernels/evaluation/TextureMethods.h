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
#ifndef TextureMethods_h
#define TextureMethods_h

#include "itkCudaSpline/math/TextureModel.h"
#include "itkCudaSpline/math/TextureSpline.h"

#include "kernels/evaluation/InterpolationMethods.h"
#include "kernels/evaluation/MethodDispatch.h"

/** \file
 * \brief The interpolation methods for coefficients in a texture. */

namespace itk::CudaSpline
{

/** \brief A linear fetch from the source: with the hardware on a device, with TextureModel on the host. */
template <unsigned int VDimension>
struct SourceFetch
{
  const EvaluationArguments<VDimension> & arguments;

  CUDASPLINE_HOST_DEVICE CUDASPLINE_INLINE float
  operator()(const float (&at)[VDimension]) const
  {
#if defined(__CUDA_ARCH__)
    if constexpr (VDimension == 3)
    {
      return tex3D<float>(arguments.texture, at[0], at[1], at[2]);
    }
    else if constexpr (VDimension == 2)
    {
      return tex2D<float>(arguments.texture, at[0], at[1]);
    }
    else
    {
      return tex2D<float>(arguments.texture, at[0], 0.5F); // a two-dimensional array supports larger sizes
    }
#else
    TextureModel<VDimension> model;
    model.texels = static_cast<const float *>(arguments.source);
    for (unsigned int d = 0; d < VDimension; ++d)
    {
      model.size[d] = arguments.extent.size[d] + 2 * TextureMargin(arguments.order);
    }
    return model(at);
#endif
  }
};

/** \brief The common base of TextureMethod and TextureTableMethod: values with linear fetches.
 *
 * \tparam TMethod has static Paired(arguments) */
template <typename TMethod>
struct FetchingMethod
{
  static constexpr bool HasValues = true;
  static constexpr bool HasBasis = false;

  /** Type of the values. */
  using Real = float;

  template <unsigned int VDimension, typename TPut>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE void
  Values(const EvaluationArguments<VDimension> & arguments, const double (&index)[VDimension], const TPut & put)
  {
    const float value = TextureSplineValue(
      TMethod::Paired(arguments), arguments.extent, arguments.extension, index, SourceFetch<VDimension>{ arguments });
    put(0, value);
  }
};

/** \brief B-spline of one order, with weights computed for each point. */
template <unsigned int VOrder>
struct TextureMethod : FetchingMethod<TextureMethod<VOrder>>
{
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE PairedWeights<VOrder>
                                                  Paired(const EvaluationArguments<VDimension> &)
  {
    return {};
  }
};

/** \brief B-splines of the two orders with that number of fetches, with weights from the source's table. */
template <unsigned int VFetches>
struct TextureTableMethod : FetchingMethod<TextureTableMethod<VFetches>>
{
  template <unsigned int VDimension>
  CUDASPLINE_HOST_DEVICE static CUDASPLINE_INLINE PairedTable<VFetches>
                                                  Paired(const EvaluationArguments<VDimension> & arguments)
  {
    return { static_cast<const PairedTableEntry<VFetches> *>(arguments.table),
             arguments.tableEntries - 1,
             arguments.order };
  }
};

/** \brief Calls \p run with CompiledMethod of a source in a texture. Order 1 needs no table. */
template <typename TRun>
void
DispatchTexture(unsigned int order, EvaluationMode mode, const TRun & run)
{
  constexpr auto none = Derivatives::None;
  if (mode == EvaluationMode::TextureTable && order >= 2)
  {
    if (FetchesOf(order) == 2)
    {
      run(CompiledMethod<TextureTableMethod<2>, none>());
    }
    else
    {
      run(CompiledMethod<TextureTableMethod<3>, none>());
    }
    return;
  }
  DispatchSplineOrder(order, [&](auto fixedOrder) {
    constexpr unsigned int VOrder = decltype(fixedOrder)::value;
    // Samples without an order are interpolated linearly.
    run(CompiledMethod<TextureMethod<(VOrder > 1 ? VOrder : 1)>, none>());
  });
}

} // namespace itk::CudaSpline

#endif

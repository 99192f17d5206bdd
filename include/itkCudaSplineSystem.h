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
#ifndef itkCudaSplineSystem_h
#define itkCudaSplineSystem_h

#include "itkCudaSpline/device/Device.h"
#include "itkCudaSpline/device/DeviceStart.h"
#include "itkCudaSpline/kernels/backend/BackendChoice.h"
#include "itkCudaSpline/kernels/coefficients/Prefilter.h"
#include "itkCudaSpline/kernels/common/Execution.h"
#include "itkCudaSpline/kernels/common/LabelImages.h"
#include "itkCudaSpline/kernels/common/NonFiniteValues.h"
#include "itkCudaSpline/kernels/metrics/Metric.h"
#include "itkCudaSpline/kernels/resampling/Resample.h"
#include "itkCudaSpline/kernels/resampling/ResampleKernelsLoader.h"
#include "itkCudaSpline/math/PixelAccess.h"
#include "itkCudaSpline/math/ScalarType.h"
#include "itkCudaSpline/math/StoredType.h"

/** \file
 * \brief The functions of the lower layers that programs may use. Programs include this header and those of the ITK
 * classes, but no header of the lower layers.
 *
 * - Devices and the build: CudaSpline::SelectDevice(), CudaSpline::QueryDevice(), CudaSpline::CudaToolkitVersion().
 * - The start of a device ahead of its use: CudaSpline::StartDeviceAhead(), CudaSpline::GiveUpDeviceStart(), with
 *   estimates of the work (CudaSpline::CountResampleWork() and similar).
 * - Names of backends.
 * - Pixel types, with ITK's cast and with rounding: CudaSpline::StoredType, CudaSpline::StoreScalar().
 * - Detection of label images and of pixels that are not finite: CudaSpline::LooksLikeLabels(),
 *   CudaSpline::CountNonFiniteValues(). */

#endif

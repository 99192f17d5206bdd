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
#ifndef itkCudaSpline_kernels_CostModel_h
#define itkCudaSpline_kernels_CostModel_h

#include "itkCudaSpline/kernels/Displacements.h"
#include "itkCudaSpline/kernels/Resample.h"
#include "itkCudaSpline/kernels/SamplePoints.h"
#include "itkCudaSpline/kernels/SampleSource.h"

/** \file
 * \brief How long an operation takes on the host and on a device, estimated before it starts.
 *
 * A count of the work times the speeds of a machine (Calibration.h). The model is linear and knows no caches: it is
 * right within a factor of about two, and choices that are closer than that do not matter much. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What an operation does, in counts that do not depend on the machine. */
struct OperationWork
{
  double uploadBytes{ 0.0 };    ///< pixels that travel to a device
  double convertSamples{ 0.0 }; ///< pixels converted to elements
  double filterPasses{ 0.0 };   ///< samples times filtered axes times poles; a double counts twice
  double samples{ 0.0 };        ///< output samples
  double taps{ 0.0 };           ///< output samples times the samples that each is made of; a double counts twice
  double downloadBytes{ 0.0 };  ///< results that travel back
};

/** \brief The sum of two operations, one after the other. */
OperationWork
operator+(const OperationWork & first, const OperationWork & second);

/** \brief Work of MakeSource().
 *
 * \param[in] source what is made */
OperationWork
CountSourceWork(const SourceDescriptor & source);

/** \brief Work of Prefilter(), whose result comes back to the host.
 *
 * \param[in] source what is made */
OperationWork
CountPrefilterWork(const SourceDescriptor & source);

/** \brief Work of Resample().
 *
 * \param[in] source what is evaluated
 * \param[in] resample what is done; its host memory does not matter */
OperationWork
CountResampleWork(const SourceDescriptor & source, const ResampleDescriptor & resample);

/** \brief Work of MakeDisplacements().
 *
 * \param[in] displacements what is done; what its scanline ends are does not matter */
OperationWork
CountDisplacementWork(const DisplacementDescriptor & displacements);

/** \brief Work of SamplePoints() with host arrays.
 *
 * \param[in] source what is evaluated
 * \param[in] points what is done; what its pointers point to does not matter */
OperationWork
CountPointsWork(const SourceDescriptor & source, const PointsDescriptor & points);

/** \brief Speeds of the host's kernels with a given number of threads, in seconds a unit. */
struct HostSpeeds
{
  double threads{ 1.0 }; ///< threads that the speeds were measured with
  double convert{ 0.0 }; ///< s a converted sample
  double filter{ 0.0 };  ///< s a filter pass
  double sample{ 0.0 };  ///< s an output sample
  double tap{ 0.0 };     ///< s a tap
};

/** \brief Speeds of a device, in seconds a unit. */
struct DeviceSpeeds
{
  double start{ 0.0 };     ///< s to start CUDA in a process, and to end it
  double operation{ 0.0 }; ///< s that every operation takes: allocations, launches, waits
  double upload{ 0.0 };    ///< s a byte from pageable memory
  double filter{ 0.0 };    ///< s a filter pass
  double sample{ 0.0 };    ///< s an output sample
  double tap{ 0.0 };       ///< s a tap
  double download{ 0.0 };  ///< s a byte into fresh pageable memory
};

/** \brief Speeds of a machine. */
struct MachineSpeeds
{
  HostSpeeds   host;   ///< of its processor
  DeviceSpeeds device; ///< of its device
};

/** \brief Seconds of an operation on the host.
 *
 * \param[in] work what has to be done
 * \param[in] speeds speeds of the host
 * \param[in] threads threads that it will have */
double
EstimateSeconds(const OperationWork & work, const HostSpeeds & speeds, unsigned int threads);

/** \brief Seconds of an operation on a device that was started before.
 *
 * \param[in] work what has to be done
 * \param[in] speeds speeds of the device */
double
EstimateSeconds(const OperationWork & work, const DeviceSpeeds & speeds);

/** @} */
} // namespace itk::CudaSpline

#endif

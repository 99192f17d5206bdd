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
#ifndef itkCudaSpline_kernels_BackendChoice_h
#define itkCudaSpline_kernels_BackendChoice_h

#include "itkCudaSpline/kernels/CostModel.h"

#include <string>

/** \file
 * \brief Whether the host or a device will be done first, where the user leaves it to the module.
 *
 * The first operation of a process on a GPU waits for CUDA to start, longer than small operations take altogether on
 * the host. So both sides are estimated. What is lost by operations that go to the host only because of the start is
 * added up: when it reaches the start, the device is started after all. A process with many small operations is
 * therefore never much slower than twice the better side. */

namespace itk::CudaSpline
{
/** \addtogroup CudaSplineKernels
 * @{ */

/** \brief What an operation has to do on either side: less where a source is there already. */
struct BackendWork
{
  OperationWork host;   ///< on the host
  OperationWork device; ///< on a device, transfers included
};

/** \brief Estimated seconds on both sides. */
struct BackendEstimate
{
  double host{ 0.0 };   ///< on the host
  double device{ 0.0 }; ///< without the start
  double start{ 0.0 };  ///< what is left to wait for the start of the device

  /** \brief True where the device is done first.
   *
   * Where it has to be started it must be clearly so, by a fifth: estimates err, and a start is not undone.
   *
   * \param[in] saved seconds that operations before this one have lost on the host for want of a started device */
  bool
  PrefersDevice(double saved = 0.0) const
  {
    const double wait = start - saved;
    return wait <= 0.0 ? device < host : device + wait < 0.8 * host;
  }

  /** \brief Why the host was preferred, in a line. */
  std::string
  ReasonForHost() const;
};

/** \brief Estimates both sides by given speeds.
 *
 * \param[in] work what has to be done
 * \param[in] speeds speeds of the machine
 * \param[in] threads threads of the host
 * \param[in] started whether the device was started, or is being started
 * \param[in] overlap seconds of other work that the start can hide behind */
BackendEstimate
EstimateBackends(const BackendWork &   work,
                 const MachineSpeeds & speeds,
                 unsigned int          threads,
                 bool                  started,
                 double                overlap = 0.0);

/** \brief Why an operation whose device the user left to the module goes to the host; empty where it goes to the
 * device, or where there is no GPU to choose.
 *
 * Touches no CUDA unless the process has started it.
 *
 * \param[in] work what has to be done
 * \param[in] threads threads that it will have on the host
 * \param[in] device the device in question
 * \param[in] counts whether what is lost on the host counts; false where it is only asked what would be done */
std::string
ReasonForHost(const BackendWork & work, unsigned int threads, int device, bool counts = true);

/** \brief Estimates both sides by the speeds of this machine. Touches no CUDA.
 *
 * \param[in] work what has to be done
 * \param[in] threads threads that it will have on the host
 * \param[in] device the device in question */
BackendEstimate
EstimateOnThisMachine(const BackendWork & work, unsigned int threads, int device);

/** \brief Starts a device in the background, where an operation that comes after other work will run there.
 *
 * Returns at once. For a program that knows from a file's header what it is going to do: the start hides behind the
 * reading of the file.
 *
 * \param[in] word the user's wish, as for SelectDevice(): a device that was named is started in any case
 * \param[in] source what will be made
 * \param[in] resample what will be done with it; only its chain is read, and only here
 * \param[in] threads threads that it would have on the host
 * \param[in] overlap seconds of other work before it
 * \return true where the device is being started or was started before */
bool
StartDeviceAhead(const std::string &        word,
                 const SourceDescriptor &   source,
                 const ResampleDescriptor & resample,
                 unsigned int               threads,
                 double                     overlap);

/** \brief Tells that a device could not be started for an operation that ReasonForHost() sent there.
 *
 * What operations have lost on the host is then counted anew, and none is sent there before they have taken ten times
 * as long on the host, by their estimates, as the try: trying costs a tenth at most.
 *
 * \param[in] reason why, for the operations that follow
 * \param[in] seconds that the try took */
void
ReportStartFailure(const std::string & reason, double seconds);

/** \brief Measures this machine once, after an operation on a device that the module itself chose.
 *
 * Nothing is measured where it could not be kept, and while another process measures. Where the machine was measured
 * before and this process' start took less than half of the one that was kept, it is kept instead. Errors are left to
 * the next operation.
 *
 * \param[in] device device number */
void
CalibrateOnce(int device);

/** \brief Measures nothing in this process: for one that works beside others of its kind, which would disturb it. */
void
SkipCalibration();

/** @} */
} // namespace itk::CudaSpline

#endif

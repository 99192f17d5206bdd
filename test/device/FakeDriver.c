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
/* A library with the name of NVIDIA's driver, libcuda.so.1. It answers only the CUDA runtime's first queries: the
 * version of CUDA that it supports is CUDASPLINE_FAKE_DRIVER_VERSION (12040 for 12.4). */
#include <stdlib.h>
#include <string.h>

int
cuDriverGetVersion(int * version)
{
  const char * const given = getenv("CUDASPLINE_FAKE_DRIVER_VERSION");
  *version = given != NULL ? atoi(given) : 0;
  return 0;
}

/* CUDA_ERROR_SYSTEM_NOT_READY */
int
cuInit(unsigned int flags)
{
  (void)flags;
  return 802;
}

int
cuGetProcAddress_v2(const char * name, void ** function, int version, unsigned long long flags, int * status)
{
  (void)version;
  (void)flags;
  (void)status;
  *function = NULL;
  if (strcmp(name, "cuDriverGetVersion") == 0)
  {
    *function = (void *)cuDriverGetVersion;
  }
  if (strcmp(name, "cuInit") == 0)
  {
    *function = (void *)cuInit;
  }
  if (strcmp(name, "cuGetProcAddress") == 0)
  {
    *function = (void *)cuGetProcAddress_v2;
  }
  return *function != NULL ? 0 : 500; /* CUDA_ERROR_NOT_FOUND */
}

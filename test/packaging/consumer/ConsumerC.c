/* A program in C that uses the library of the kernels, without ITK. */
#include "itkCudaSpline/c/CudaSplineC.h"

#include <stdio.h>

int
main(void)
{
  printf("CudaSplineC %s\n", cudaspline_version());
  return 0;
}

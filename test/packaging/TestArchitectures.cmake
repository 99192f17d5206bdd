# The default architectures for toolkits and machines that are not here: nvcc and nvidia-smi are scripts that print what those print.
#
# usage: cmake -DWORK=folder -P TestArchitectures.cmake
cmake_minimum_required(VERSION 3.22)
include("${CMAKE_CURRENT_LIST_DIR}/../../cmake/CudaSplineArchitectures.cmake")

function(make_program name text)
  file(WRITE "${WORK}/${name}" "#!/bin/sh\n${text}\n")
  file(CHMOD "${WORK}/${name}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

# expect(<what> <architectures> TOOLKIT <compute capability>... GPUS <compute capability>...)
function(expect what expected)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "TOOLKIT;GPUS")
  list(TRANSFORM arg_TOOLKIT PREPEND "compute_")
  list(JOIN arg_TOOLKIT "\\n" toolkit)
  list(JOIN arg_GPUS "\\n" gpus)
  file(REMOVE_RECURSE "${WORK}")
  make_program(nvcc "printf '${toolkit}\\n'")
  if(gpus)
    make_program(nvidia-smi "printf '${gpus}\\n'")
  else()
    make_program(nvidia-smi "exit 9") # no driver
  endif()
  set(ENV{PATH} "${WORK}:/usr/bin:/bin")
  cudaspline_default_architectures(architectures "${WORK}/nvcc")
  if(NOT "${architectures}" STREQUAL "${expected}")
    message(SEND_ERROR "${what}: ${architectures}, expected ${expected}.")
  endif()
endfunction()

set(
  cuda12_0
  50
  52
  53
  60
  61
  62
  70
  72
  75
  80
  86
  87
  89
  90
)
set(
  cuda12_8
  50
  52
  53
  60
  61
  62
  70
  72
  75
  80
  86
  87
  89
  90
  100
  101
  120
)
set(
  cuda13_0
  75
  80
  86
  87
  88
  89
  90
  100
  110
  103
  120
  121
)
expect("CUDA 12.0" "70-real;80-real;90" TOOLKIT ${cuda12_0})
expect("CUDA 12.8" "70-real;80-real;90-real;100-real;120" TOOLKIT ${cuda12_8})
expect("CUDA 13.0" "75-real;80-real;90-real;100-real;120" TOOLKIT ${cuda13_0})
set(CMAKE_SYSTEM_PROCESSOR aarch64)
expect("CUDA 13.0 on ARM" "75-real;80-real;90-real;100-real;110-real;120" TOOLKIT ${cuda13_0})
set(CMAKE_SYSTEM_PROCESSOR x86_64)
expect("Three GPUs of two kinds" "90;80" TOOLKIT ${cuda12_8} GPUS 9.0 8.0 9.0)
expect("A GPU newer than the toolkit" "70-real;80-real;90" TOOLKIT ${cuda12_0} GPUS 9.0 12.0)
expect("A GPU older than the toolkit" "75-real;80-real;90-real;100-real;120" TOOLKIT ${cuda13_0} GPUS 7.0)
expect("An nvcc that does not tell" "" TOOLKIT)

set(CUDASPLINE_ALL_ARCHITECTURES ON)
expect("Packages for others" "70-real;80-real;90" TOOLKIT ${cuda12_0} GPUS 9.0)

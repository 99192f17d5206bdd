# CudaSpline.remote.cmake, as ITK reads it: what is fetched, and what is not.
#
# usage: cmake -DWORK=folder -DGENERATOR=Ninja -DITK_CMAKE_DIR=folder -P TestRemoteModule.cmake
cmake_minimum_required(VERSION 3.22)

get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
file(REMOVE_RECURSE "${WORK}")
file(COPY "${root}/CudaSpline.remote.cmake" DESTINATION "${WORK}/Remote")
unset(ENV{CUDASPLINE_HOME_URL})

# expect_configure(<line> <argument>...): a configuration of the folder "build" with these arguments prints the line.
function(expect_configure line)
  execute_process(
    COMMAND
      "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/remote" -B "${WORK}/build" -G "${GENERATOR}"
      "-DREMOTE=${WORK}/Remote" "-DITK_CMAKE_DIR=${ITK_CMAKE_DIR}" ${ARGN}
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
  )
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${line}" found)
  string(FIND "${output}" "fetch [" fetched)
  string(FIND "${line}" "fetch [" fetches)
  if(found LESS 0 OR (fetched GREATER_EQUAL 0 AND fetches LESS 0))
    message(SEND_ERROR "\"${line}\" is not what ${ARGN} prints:\n${output}")
  endif()
endfunction()

set(address https://example.org/CudaSpline)
expect_configure("module [OFF] level [3]")
expect_configure("set CUDASPLINE_HOME_URL to the address" -DModule_CudaSpline=ON)
expect_configure("module [ON] level [3]" -DITK_FORBID_DOWNLOADS=ON)
expect_configure("fetch [${address}] [main]" -DITK_FORBID_DOWNLOADS=OFF "-DCUDASPLINE_HOME_URL=${address}")
expect_configure("fetch [${address}] [main]") # again, as the cache has it
expect_configure("fetch [${address}] [0123abc]" -DModule_CudaSpline_GIT_TAG=0123abc)

# The environment names the address, too.
file(REMOVE_RECURSE "${WORK}/build")
set(ENV{CUDASPLINE_HOME_URL} "${address}")
expect_configure("fetch [${address}] [main]" -DModule_CudaSpline=ON)

# What was fetched is brought up to date; a link or a copy is left as it is, also the second time.
file(CREATE_LINK "${root}" "${WORK}/Remote/CudaSpline" SYMBOLIC)
expect_configure("fetch [${address}] [main]")
file(REMOVE_RECURSE "${WORK}/build")
expect_configure("module [ON] level [3]" -DModule_CudaSpline=ON)
expect_configure("module [ON] level [3]")

# The name of the module is that of itk-module.cmake, which ITK requires.
macro(itk_module name)
  set(module_name "${name}")
endmacro()
include("${root}/itk-module.cmake")
if(NOT module_name STREQUAL "CudaSpline")
  message(SEND_ERROR "The module is named ${module_name}.")
endif()

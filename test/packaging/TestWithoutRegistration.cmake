# Without its registration part the module has resampling programs and no tests.
#
# usage: cmake -DWORK=folder -DGENERATOR=Ninja -DCXX=compiler -DITK_DIR=folder -P TestWithoutRegistration.cmake
cmake_minimum_required(VERSION 3.22)

function(expect_output expected folder)
  execute_process(
    COMMAND
      "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/../.." -B "${WORK}/${folder}" -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${CXX}" "-DITK_DIR=${ITK_DIR}" -DCUDASPLINE_USE_CUDA=OFF -DCUDASPLINE_BUILD_REGISTRATION=OFF
      ${ARGN}
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
  )
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${expected}" position)
  if(position LESS 0)
    message(SEND_ERROR "Not \"${expected}\" with ${ARGN}, but:\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE "${WORK}")
expect_output("Generating done" programs -DBUILD_TESTING=OFF)
expect_output("Without CUDASPLINE_BUILD_REGISTRATION there are neither tests nor benchmarks" tests -DBUILD_TESTING=ON)

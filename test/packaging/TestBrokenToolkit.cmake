# An nvcc that cannot compile, as that of an incomplete toolkit, leads to a build without CUDA, with a message of one line; if CUDA is required, to an
# error.
#
# usage: cmake -DWORK=folder -DGENERATOR=Ninja -DCXX=compiler -P TestBrokenToolkit.cmake
cmake_minimum_required(VERSION 3.22)

file(REMOVE_RECURSE "${WORK}")
file(
  WRITE "${WORK}/nvcc"
  "#!/bin/sh\necho \"with $CUDAHOSTCXX\" >>'${WORK}/calls'\necho 'nvcc: cannot find cicc' >&2\nexit 1\n"
)
file(CHMOD "${WORK}/nvcc" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{CUDACXX} "${WORK}/nvcc")
unset(ENV{CUDAHOSTCXX})

# The host compiler that the user names is tried, and named.
set(host "${WORK}/another-c++")
file(CREATE_LINK "${CXX}" "${host}" SYMBOLIC)
execute_process(
  COMMAND
    "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/toolkit" -B "${WORK}/host" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CUDA_HOST_COMPILER=${host}" -DCUDASPLINE_USE_CUDA=ON
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output
)
string(REGEX REPLACE "[ \n]+" " " output "${output}")
file(READ "${WORK}/calls" calls)
string(FIND "${calls}" "with ${host}" tried) # by the environment, which is what check_language() goes by
string(FIND "${output}" "or is ${host} too new for it" named)
if(tried LESS 0 OR named LESS 0)
  message(SEND_ERROR "${host} was not tried (${tried}), or not named (${named}):\n${output}")
endif()

foreach(use IN ITEMS ON REQUIRED)
  execute_process(
    COMMAND
      "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/toolkit" -B "${WORK}/${use}" -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${CXX}" "-DCUDASPLINE_USE_CUDA=${use}"
    RESULT_VARIABLE result
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
  )
  if(use STREQUAL "REQUIRED")
    if(result EQUAL 0 OR NOT output MATCHES "CUDASPLINE_USE_CUDA is REQUIRED, but")
      message(SEND_ERROR "No error where CUDA is required (${result}):\n${output}")
    endif()
  else()
    string(REGEX MATCHALL "Only the Cpu backend is built" lines "${output}")
    list(LENGTH lines count)
    if(NOT result EQUAL 0 OR NOT count EQUAL 1 OR NOT output MATCHES "CUDASPLINE_HAS_CUDA is OFF")
      message(SEND_ERROR "No build without CUDA (${result}, ${count} lines report it):\n${output}")
    endif()
  endif()
endforeach()

# Where it is looked for: in the folder that the user names, in the PATH, then where NVIDIA's packages put it.
unset(ENV{CUDACXX})
unset(ENV{CUDA_PATH})
set(ENV{PATH} "${WORK}:$ENV{PATH}")
file(COPY "${WORK}/nvcc" DESTINATION "${WORK}/named/bin")
foreach(named IN ITEMS "" "${WORK}/named")
  set(ENV{CUDA_HOME} "${named}")
  set(expected "${WORK}/nvcc")
  if(named)
    set(expected "${named}/bin/nvcc")
  endif()
  execute_process(
    COMMAND
      "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/toolkit" -B "${WORK}/found" -G "${GENERATOR}"
      "-DCMAKE_CXX_COMPILER=${CXX}" -DCUDASPLINE_USE_CUDA=ON -UCUDASPLINE_NVCC
    OUTPUT_VARIABLE output
    ERROR_VARIABLE output
  )
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "built: ${expected} does not compile" found)
  if(found LESS 0)
    message(SEND_ERROR "With CUDA_HOME \"${named}\" it is not ${expected} that is tried:\n${output}")
  endif()
endforeach()

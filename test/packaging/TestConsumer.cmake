# Installs a build, moves the prefix, and configures, builds and runs the project of consumer/ against it.
#
# usage: cmake -DBUILD=folder -DPREFIX=/prefix -DWORK=folder -DCONSUMER=folder -DPACKAGE=CudaSpline|ITK [-DITK_DIR=folder] [-DPROGRAMS="name..."]
#          [-DPLAIN=program of ITK's]
#          -DCONFIG=Release -DGENERATOR=Ninja -DCXX=compiler [-DCXX_FLAGS=flags] -P TestConsumer.cmake
#
# PREFIX is that of the build; nothing is written there. WORK is made anew. Without ITK_DIR, ITK is looked for in the prefix alone.
cmake_minimum_required(VERSION 3.22)

function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${what} failed (${result}):\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
# By DESTDIR and not by another prefix: ITK installs its Eigen by a build of its own, which knows the prefix of the configuration only.
set(ENV{DESTDIR} "${WORK}/first")
run(
  "Installation"
  "${CMAKE_COMMAND}"
  --install
  "${BUILD}"
  --config
  "${CONFIG}"
)
unset(ENV{DESTDIR})
# Nothing may remember where it was to be installed.
file(RENAME "${WORK}/first${PREFIX}" "${WORK}/prefix")

# As a user starts them: not with the search path that a build may need.
set(library_path "$ENV{LD_LIBRARY_PATH}")
unset(ENV{LD_LIBRARY_PATH})
separate_arguments(PROGRAMS)
foreach(program IN LISTS PROGRAMS)
  run("The installed ${program}" "${WORK}/prefix/bin/${program}" --version)
  message(STATUS "${output}")
endforeach()
set(ENV{LD_LIBRARY_PATH} "${library_path}")

# The object factory loads from where it is installed, in a program that does not use it.
if(PLAIN)
  file(GLOB_RECURSE library "${WORK}/prefix/libCudaSplineFactories*")
  list(FILTER library INCLUDE REGEX "/CudaSplineFactories/[^/]*$")
  list(LENGTH library count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "ITK loads every library of a folder, and there are ${count}: ${library}")
  endif()
  get_filename_component(folder "${library}" DIRECTORY)
  set(ENV{ITK_AUTOLOAD_PATH} "${folder}")
  run("The program with the factory" "${PLAIN}" one 9 "${WORK}/plain.bin")
  unset(ENV{ITK_AUTOLOAD_PATH})
  if(NOT output MATCHES "CudaResampleImageFilter float bspline 990")
    message(FATAL_ERROR "The factory of ${folder} was not used:\n${output}")
  endif()
endif()

# The arguments of every project that is configured against the prefix.
set(
  against_prefix
  -G
  "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
  "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
  "-DCMAKE_BUILD_TYPE=Debug" # compiles fastest
)
if(ITK_DIR)
  list(APPEND against_prefix "-DITK_DIR=${ITK_DIR}")
else()
  list(APPEND against_prefix "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF")
endif()

run(
  "Configuration of the consumer"
  "${CMAKE_COMMAND}"
  -S
  "${CONSUMER}"
  -B
  "${WORK}/build"
  "-DPACKAGE=${PACKAGE}"
  ${against_prefix}
)
run("Build of the consumer" "${CMAKE_COMMAND}" --build "${WORK}/build")
run("The consumer" "${WORK}/build/Consumer")
message(STATUS "${output}")
if(EXISTS "${WORK}/build/ConsumerC")
  run("The consumer in C" "${WORK}/build/ConsumerC")
  message(STATUS "${output}")
endif()

if(PACKAGE STREQUAL "CudaSpline")
  # What the package refuses, it says itself.
  foreach(refused IN ITEMS "COMPONENTS Nonsense" "CXX")
    file(REMOVE_RECURSE "${WORK}/refused")
    set(components "${refused}")
    set(languages "C CXX")
    set(words "Nonsense")
    if(refused STREQUAL "CXX")
      set(components "")
      set(languages "CXX")
      set(words "has to enable C")
    endif()
    file(
      WRITE "${WORK}/refused/CMakeLists.txt"
      "cmake_minimum_required(VERSION 3.22)\nproject(Refused LANGUAGES ${languages})\nfind_package(CudaSpline REQUIRED ${components})\n"
    )
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -S "${WORK}/refused" -B "${WORK}/refused/build" ${against_prefix}
      RESULT_VARIABLE result
      OUTPUT_VARIABLE output
      ERROR_VARIABLE output
    )
    if(result EQUAL 0 OR NOT output MATCHES "${words}" OR output MATCHES "try_compile")
      message(FATAL_ERROR "${refused} was not refused in these words, ${words} (${result}):\n${output}")
    endif()
  endforeach()
endif()

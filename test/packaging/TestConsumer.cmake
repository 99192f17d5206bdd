# Installs a build, moves the prefix, and configures, builds and runs the project of consumer/ against it.
#
# usage: cmake -DBUILD=folder -DPREFIX=/prefix -DWORK=folder -DCONSUMER=folder -DPACKAGE=CudaSpline|ITK [-DITK_DIR=folder] [-DPROGRAM=name]
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

if(PROGRAM)
  run("The installed program" "${WORK}/prefix/bin/${PROGRAM}" --version)
  message(STATUS "${output}")
endif()

# The object factory loads from where it is installed, by a program that knows nothing of it.
if(PLAIN)
  file(GLOB_RECURSE library "${WORK}/prefix/*/libCudaSplineFactories.so")
  get_filename_component(folder "${library}" DIRECTORY)
  set(ENV{ITK_AUTOLOAD_PATH} "${folder}")
  run("The program with the factory" "${PLAIN}" one 9 "${WORK}/plain.bin")
  unset(ENV{ITK_AUTOLOAD_PATH})
  if(NOT output MATCHES "CudaResampleImageFilter float bspline 990")
    message(FATAL_ERROR "The factory of ${folder} was not used:\n${output}")
  endif()
endif()

set(itk "-DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF")
if(ITK_DIR)
  set(itk "-DITK_DIR=${ITK_DIR}")
endif()
run(
  "Configuration of the consumer"
  "${CMAKE_COMMAND}"
  -S
  "${CONSUMER}"
  -B
  "${WORK}/build"
  -G
  "${GENERATOR}"
  "-DPACKAGE=${PACKAGE}"
  "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
  "${itk}"
  "-DCMAKE_CXX_COMPILER=${CXX}"
  "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
  "-DCMAKE_BUILD_TYPE=Debug" # compiles fastest
)
run("Build of the consumer" "${CMAKE_COMMAND}" --build "${WORK}/build")
run("The consumer" "${WORK}/build/Consumer")
message(STATUS "${output}")

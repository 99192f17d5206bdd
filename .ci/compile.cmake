# How continuous integration compiles: cmake's -C. What takes time in use, the kernels, asks for -O3 by itself and has it; the templates of
# ITK around it, in programs, factories and benchmarks, take half as long to compile as with users' flags.
set(CMAKE_CXX_FLAGS_RELEASE "-Og -DNDEBUG" CACHE STRING "")
set(CUDASPLINE_TEST_DEVICE_HEADERS OFF CACHE BOOL "")

# How continuous integration compiles: cmake's -C. What takes time in use, the kernels, asks for -O3 by itself and has it; the templates of
# ITK around it, in programs, factories and benchmarks, take half as long to compile as with users' flags.
# With these the compiler follows too few paths to say what may be uninitialized.
set(CMAKE_CXX_FLAGS_RELEASE "-Og -DNDEBUG -Wno-maybe-uninitialized" CACHE STRING "")
# No kernel runs here: that they compile is proven by code that ptxas leaves as it is, in a tenth of the time.
set(CMAKE_CUDA_FLAGS_RELEASE "-O3 -DNDEBUG -Ofc=max" CACHE STRING "")
set(CUDASPLINE_TEST_DEVICE_HEADERS OFF CACHE BOOL "")
# With CUDA the library has what it had without, and more: programs that are linked to it are not linked, and their tests listed, again.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON CACHE BOOL "")

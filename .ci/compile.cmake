# How continuous integration compiles: cmake's -C. The templates of ITK, in programs, factories and benchmarks, take
# half as long to compile as with users' flags, and the host's kernels, which have -O3 otherwise, too. Results do not
# depend on it: no flag lets sums be reordered. With these the compiler follows too few paths to detect uninitialized
# variables. It collects its garbage from 1 GB on: 5 to 10 % of its time for a few hundred MB.
set(CMAKE_CXX_FLAGS_RELEASE "-Og -DNDEBUG -Wno-maybe-uninitialized --param ggc-min-heapsize=1000000" CACHE STRING "")
set(CUDASPLINE_KERNEL_OPTIMIZATION "-O1" CACHE STRING "")
# No kernel of a device runs here: that they compile is proven by code that ptxas leaves as it is, in a tenth of the time. The host's code
# of these files launches kernels: optimizing it takes a seventh of the time.
set(CMAKE_CUDA_FLAGS_RELEASE "-O0 -DNDEBUG -Ofc=max" CACHE STRING "")
set(CUDASPLINE_TEST_HEADERS_ALONE OFF CACHE BOOL "")
set(CUDASPLINE_TEST_DEVICE_HEADERS OFF CACHE BOOL "")
# scripts/fuzz draws more.
set(CUDASPLINE_FUZZ_CASES 20 CACHE STRING "")
# With CUDA the library has what it had without, and more: programs that are linked to it are not linked, and their tests listed, again.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON CACHE BOOL "")

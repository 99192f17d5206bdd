# What has to be known where the module and its tests can both see it: ITK reads this file at the top of its own build before it adds
# the module, whose tests are a folder apart there; CMakeLists.txt reads it elsewhere. Libraries of the programs are looked for where
# they are built.
include("${CMAKE_CURRENT_LIST_DIR}/cmake/CudaSplineCuda.cmake")
find_package(Threads REQUIRED)

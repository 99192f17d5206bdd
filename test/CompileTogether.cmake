# For a folder whose tests make the same classes of ITK's templates: six files that are compiled together take little longer than one of
# them. -DCMAKE_UNITY_BUILD=OFF compiles each by itself, -DCMAKE_UNITY_BUILD_BATCH_SIZE=2 two together, where memory is short.
if(NOT DEFINED CMAKE_UNITY_BUILD)
  set(CMAKE_UNITY_BUILD ON)
endif()
if(NOT DEFINED CMAKE_UNITY_BUILD_BATCH_SIZE)
  set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
endif()
if(CMAKE_UNITY_BUILD)
  # Said of classes in the anonymous namespace of a file that is included, as each of them then is.
  add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
endif()

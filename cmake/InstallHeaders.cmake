# Installs the public headers (doc/PublicInterface.md) and the headers that they include. Programs and tests alone use the others.
#
# include      folder of the headers
# destination  where they are installed, absolute or relative to the prefix
cmake_policy(VERSION 3.22)
get_filename_component(destination "${destination}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
file(GLOB new RELATIVE "${include}" "${include}/*.h*" "${include}/itkCudaSpline/c/*.h")
list(APPEND new itkCudaSpline/math/CatmullRomBasis.h itkCudaSpline/math/CatmullRomWeights.h) # deprecated, for one release
set(found ${new})
while(new)
  list(POP_FRONT new header)
  get_filename_component(folder "${header}" DIRECTORY)
  file(INSTALL "${include}/${header}" DESTINATION "${destination}/${folder}")
  file(STRINGS "${include}/${header}" lines REGEX "^ *# *include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "[^\"]*\"([^\"]*)\".*" "\\1" included "${line}")
    if(EXISTS "${include}/${included}" AND NOT included IN_LIST found)
      list(APPEND new "${included}")
      list(APPEND found "${included}")
    endif()
  endforeach()
endwhile()

# Headers that compile alone.

# cudaspline_add_header_test(<target> BASE <folder> HEADERS <file>... [INCLUDE_DIRECTORIES <folder>...] [LANGUAGE CXX|CUDA])
#
# An object library in which each header is a translation unit of its own: it is included first, by its name from BASE, and a second
# time, so that its guard is tried. A header that needs another one without including it does not compile.
function(cudaspline_add_header_test target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "BASE;LANGUAGE" "HEADERS;INCLUDE_DIRECTORIES")
  set(extension cxx)
  if(arg_LANGUAGE STREQUAL "CUDA")
    set(extension cu)
  endif()
  set(sources)
  foreach(header IN LISTS arg_HEADERS)
    file(RELATIVE_PATH name "${arg_BASE}" "${header}")
    string(MAKE_C_IDENTIFIER "${name}" identifier)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}/${identifier}.${extension}")
    file(GENERATE OUTPUT "${source}" CONTENT "#include \"${name}\"\n#include \"${name}\"\n")
    list(APPEND sources "${source}")
  endforeach()
  add_library(${target} OBJECT ${sources})
  target_include_directories(${target} PRIVATE "${arg_BASE}")
  if(arg_INCLUDE_DIRECTORIES)
    # As system folders: their warnings are not ours.
    target_include_directories(${target} SYSTEM PRIVATE ${arg_INCLUDE_DIRECTORIES})
  endif()
  target_compile_features(${target} PRIVATE cxx_std_17)
  # Nothing is run: the fastest way to compile.
  target_compile_options(
    ${target}
    PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU,Clang,AppleClang>>:-O0>
  )
  set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS OFF)
endfunction()

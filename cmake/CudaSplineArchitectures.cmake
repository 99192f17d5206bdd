# cudaspline_present_gpus(<variable>)
#
# The compute capabilities of the GPUs in this machine, as the driver reports them, e.g. 9.0;8.0. Empty where there is no GPU; "unknown" where
# there is one, but nvidia-smi does not report it.
function(cudaspline_present_gpus variable)
  execute_process(
    COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE present
    RESULT_VARIABLE result
    ERROR_QUIET
  )
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" present "${present}")
  list(REMOVE_DUPLICATES present)
  if(NOT result EQUAL 0 OR NOT present)
    set(present "")
    if(EXISTS /dev/nvidiactl OR EXISTS /dev/dxg) # of Linux, and of WSL
      set(present "unknown")
    endif()
  endif()
  set(${variable} "${present}" PARENT_SCOPE)
endfunction()

# cudaspline_default_architectures(<variable> <nvcc>)
#
# The compute capabilities to compile for where the user names none: those of the GPUs in this machine; where there is none, or where
# the toolkit does not know them, one for each major generation that the toolkit compiles for, from Volta (7.0) on, with PTX of the
# newest for what comes later. A binary for x.0 runs on every x.y. With CUDASPLINE_ALL_ARCHITECTURES this machine's GPUs are not asked
# for: what is built is for others.
function(cudaspline_default_architectures variable nvcc)
  set(${variable} "" PARENT_SCOPE)
  execute_process(COMMAND "${nvcc}" --list-gpu-arch OUTPUT_VARIABLE supported RESULT_VARIABLE result ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+" supported "${supported}")
  if(NOT result EQUAL 0 OR NOT supported)
    return() # CMake's own default
  endif()

  set(present "")
  if(NOT CUDASPLINE_ALL_ARCHITECTURES)
    cudaspline_present_gpus(present)
  endif()
  if(present)
    list(TRANSFORM present REPLACE "\\." "")
    set(unknown ${present})
    list(REMOVE_ITEM unknown ${supported})
    if(NOT unknown)
      set(${variable} "${present}" PARENT_SCOPE)
      return()
    endif()
  endif()

  set(architectures "")
  set(
    generations
    7
    8
    9
    10
    11
    12
  )
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    list(REMOVE_ITEM generations 11) # of boards with ARM's processors alone
  endif()
  foreach(generation IN LISTS generations)
    set(members ${supported})
    list(FILTER members INCLUDE REGEX "^${generation}[0-9]$")
    if(members)
      list(SORT members COMPARE NATURAL)
      list(GET members 0 first)
      list(APPEND architectures ${first})
    endif()
  endforeach()
  if(architectures)
    list(POP_BACK architectures newest)
    list(TRANSFORM architectures APPEND "-real")
    list(APPEND architectures ${newest})
  endif()
  set(${variable} "${architectures}" PARENT_SCOPE)
endfunction()

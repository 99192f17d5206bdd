# cudaspline_discover_tests(<target> [LABELS <label>...] [TIMEOUT <seconds>] [ONCE <filter>...] [LONG <filter>...]): the tests of a
# program of GoogleTest with the label gpu where their name contains Gpu, otherwise cpu. Those that match a filter of ONCE have the label once,
# too: host kernels and classes of ITK's, whose objects are the same with CUDA and without. Choices, errors and what depends on CUDA are never
# among them. Those that match a filter of LONG have the label long instead: they take seconds, and other tests call the same code.
function(cudaspline_discover_tests target)
  cmake_parse_arguments(PARSE_ARGV 1 with "" "TIMEOUT" "LABELS;ONCE;LONG")
  # LABELS for each: gtest_discover_tests() flattens "cpu;itk", and the second label would be lost.
  list(TRANSFORM with_LABELS PREPEND "LABELS;")
  set(properties ${with_LABELS})
  if(with_TIMEOUT)
    list(APPEND properties TIMEOUT ${with_TIMEOUT})
  endif()
  list(JOIN with_ONCE ":" once)
  list(JOIN with_LONG ":" long)
  gtest_discover_tests(${target} TEST_FILTER "-*Gpu*:${once}:${long}" PROPERTIES LABELS cpu ${properties})
  gtest_discover_tests(${target} TEST_FILTER "*Gpu*" PROPERTIES LABELS gpu ${properties})
  if(once)
    gtest_discover_tests(
      ${target}
      TEST_FILTER "${once}:-*Gpu*:${long}"
      PROPERTIES LABELS cpu LABELS once ${properties}
    )
  endif()
  if(long)
    gtest_discover_tests(
      ${target}
      TEST_FILTER "${long}:-*Gpu*"
      PROPERTIES LABELS cpu LABELS long ${properties}
    )
  endif()
endfunction()

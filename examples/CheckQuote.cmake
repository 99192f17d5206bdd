# Fails unless DOCUMENT holds, as they are, the lines of SOURCE between its two lines "// [MARKER]" without their common indentation; with
# COMMENT=# between its lines "# [MARKER]".
#
# usage: cmake -DSOURCE=example.cxx -DDOCUMENT=README.md -DMARKER=name -P CheckQuote.cmake
cmake_minimum_required(VERSION 3.22)

file(READ "${SOURCE}" source)
file(READ "${DOCUMENT}" document)

if(NOT DEFINED COMMENT)
  set(COMMENT "//")
endif()
set(fence "( *)${COMMENT} \\[${MARKER}\\]\n")
if(NOT source MATCHES "${fence}")
  message(FATAL_ERROR "${SOURCE} has no line \"${COMMENT} [${MARKER}]\".")
endif()
set(indentation "${CMAKE_MATCH_1}")
set(line "${indentation}${COMMENT} [${MARKER}]\n")
string(LENGTH "${line}" length)
string(FIND "${source}" "${line}" begin)
string(FIND "${source}" "${line}" end REVERSE)
math(EXPR begin "${begin} + ${length}")
math(EXPR count "${end} - ${begin}")
if(count LESS_EQUAL 0)
  message(FATAL_ERROR "${SOURCE} has only one line \"${COMMENT} [${MARKER}]\", or nothing between the two.")
endif()
string(SUBSTRING "${source}" ${begin} ${count} quote)
string(REPLACE "\n${indentation}" "\n" quote "\n${quote}")

string(FIND "${document}" "${quote}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${DOCUMENT} does not quote the lines of ${SOURCE}. They are now:\n${quote}")
endif()

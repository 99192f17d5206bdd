# Finds the Python interpreter that runs tests. Sets Python3_EXECUTABLE.
#
# The first one in the PATH is taken if it has what the tests of the Python package need. Otherwise it is Debian's, for which
# scripts/install-dependencies installs that, if it has it. A user's Python3_EXECUTABLE is taken as it is.

if(NOT Python3_EXECUTABLE)
  find_program(CUDASPLINE_FIRST_PYTHON python3)
  mark_as_advanced(CUDASPLINE_FIRST_PYTHON)
  foreach(candidate IN ITEMS "${CUDASPLINE_FIRST_PYTHON}" /usr/bin/python3)
    execute_process(
      COMMAND
        "${candidate}" -c
        "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, ('numpy', 'scipy', 'pytest'))))"
      RESULT_VARIABLE lacks_package
      OUTPUT_QUIET
      ERROR_QUIET
    )
    if(lacks_package EQUAL 0)
      set(Python3_EXECUTABLE "${candidate}" CACHE FILEPATH "Python interpreter that runs tests")
      break()
    endif()
  endforeach()
endif()
find_package(Python3 3.8 REQUIRED COMPONENTS Interpreter)

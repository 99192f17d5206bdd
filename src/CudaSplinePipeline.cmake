# Registrations with several stages from one specification, which JSON documents describe: objects for libCudaSplineC and CudaSplineRegister.
find_path(
  CUDASPLINE_JSON_INCLUDE_DIR
  nlohmann/json.hpp
  PATH_SUFFIXES nlohmann_json/include # of the Python package
  DOC "Folder of nlohmann/json.hpp"
)
if(NOT CUDASPLINE_JSON_INCLUDE_DIR)
  find_package(nlohmann_json QUIET)
  if(TARGET nlohmann_json::nlohmann_json)
    get_target_property(CUDASPLINE_JSON_INCLUDE_DIR nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
  else()
    message(
      FATAL_ERROR
      "CudaSpline's registration needs nlohmann/json.hpp. "
      "Install the package nlohmann-json3-dev (Debian, Ubuntu: apt-get install nlohmann-json3-dev) or json-devel (Fedora, RHEL)."
    )
  endif()
endif()

# The presets are JSON files, which are compiled in.
set(CUDASPLINE_PRESETS "")
foreach(preset brain fast syn multimodal lung abdomen histology standard)
  set(preset_file "${CMAKE_CURRENT_LIST_DIR}/pipeline/presets/${preset}.json")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${preset_file}")
  file(READ "${preset_file}" preset_text)
  string(APPEND CUDASPLINE_PRESETS "\n    { \"${preset}\", R\"json(${preset_text})json\" },")
endforeach()
set(presets_source "${CMAKE_CURRENT_BINARY_DIR}/pipeline/Presets.cxx")
configure_file("${CMAKE_CURRENT_LIST_DIR}/pipeline/Presets.cxx.in" "${presets_source}" @ONLY)

add_library(
  CudaSplinePipeline
  OBJECT
  "${presets_source}"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/ComputeDisplacements.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/LabelCodes.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/PairSimilarity.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/PipelineMessages.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/PreparedImages.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/RegistrationForecast.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/RegistrationOutcome.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/RegistrationPipeline.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/RegistrationSpec.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/RegistrationStart.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/ResultWarnings.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/SpecCheck.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/SpecDocument.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/StageOptions.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/StageRun.cxx"
  "${CMAKE_CURRENT_LIST_DIR}/pipeline/StageSequence.cxx"
)
cudaspline_kernels_settings(CudaSplinePipeline)
target_include_directories(CudaSplinePipeline SYSTEM PRIVATE "${CUDASPLINE_JSON_INCLUDE_DIR}")

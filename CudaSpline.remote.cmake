#-- # Grading Level Criteria Report
#-- EVALUATION DATE: 2026-11-29
#-- EVALUATORS: [The CudaSpline contributors]
#--
#-- ## Compliance level 5 star (AKA ITK main modules, or remote modules that could become core modules)
#--   - [ ] Widespread community dependance
#--   - [ ] Above 90% code coverage
#--   - [ ] CI dashboards and testing monitored rigorously
#--   - [X] Key API features are exposed in wrapping interface
#--   - [ ] All requirements of Levels 4,3,2,1
#--
#-- ## Compliance Level 4 star (Very high-quality code, perhaps small community dependance)
#--   - [ ] Meets all ITK code style standards
#--   - [X] No external requirements beyond those needed by ITK proper
#--   - [ ] Builds and passes tests on all supported platforms within 1 month of each core tagged release
#--            - [ ] Windows Shared Library Build with Visual Studio
#--            - [ ] Mac with clang compiller
#--            - [X] Linux with gcc compiler
#--   - [ ] Active developer community dedicated to maintaining code-base
#--   - [ ] 75% code coverage demonstrated for testing suite
#--   - [X] Continuous integration testing performed
#--   - [X] All requirements of Levels 3,2,1
#--
#-- ## Compliance Level 3 star (Quality beta code)
#--   - [X] API | executable interface is considered mostly stable and feature complete
#--   - [ ] 10% C0-code coverage demonstrated for testing suite
#--   - [X] Some tests exist and pass on at least some platform
#--   - [X] All requirements of Levels 2,1
#--
#-- ## Compliance Level 2 star (Alpha code feature API development or niche community/execution environment dependance )
#--   - [X] Compiles for at least 1 niche set of execution envirionments, and perhaps others
#--         (may depend on specific external tools like a java environment, or specific external libraries to work )
#--   - [X] All requirements of Levels 1
#--
#-- ## Compliance Level 1 star (Pre-alpha features under development and code of unknown quality)
#--   - [X] Code complies on at least 1 platform
#--
#-- ## Compliance Level 0 star ( Code/Feature of known poor-quality or deprecated status )
#--   - [ ] Code reviewed and explicitly identified as not recommended for use
#--
#-- ### Please document here any justification for the criteria above
#       doc/contributing/RemoteModule.md has the reason for each line.

# ITK reads this file in its folder Modules/Remote. The repository has no address of its own: CUDASPLINE_HOME_URL, a variable of the cache
# or the environment, names the one to fetch from. A copy or a link Modules/Remote/CudaSpline is left as it is.
set(CUDASPLINE_HOME_URL "$ENV{CUDASPLINE_HOME_URL}" CACHE STRING "Address of CudaSpline's repository, https://...")
mark_as_advanced(CUDASPLINE_HOME_URL)
if(NOT DEFINED Module_CudaSpline_GIT_TAG AND EXISTS "${CMAKE_CURRENT_LIST_DIR}/CudaSpline/itk-module.cmake")
  set(Module_CudaSpline_GIT_TAG "") # ITK: an empty tag is not fetched
elseif(
  Module_CudaSpline
  AND NOT CUDASPLINE_HOME_URL
  AND NOT ITK_FORBID_DOWNLOADS
  AND NOT EXISTS "${CMAKE_CURRENT_LIST_DIR}/CudaSpline"
)
  message(
    FATAL_ERROR
    "CudaSpline cannot be fetched: set CUDASPLINE_HOME_URL to the address of its repository, "
    "or copy its source to ${CMAKE_CURRENT_LIST_DIR}/CudaSpline."
  )
endif()

itk_fetch_module(
  CudaSpline
  "Resampling, interpolation and registration with ITK's results, on GPUs with CUDA and on all processor cores."
  MODULE_COMPLIANCE_LEVEL 3
  GIT_REPOSITORY "${CUDASPLINE_HOME_URL}"
  GIT_TAG main
)

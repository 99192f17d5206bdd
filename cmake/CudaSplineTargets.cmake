# Properties that targets of the project share. ITK's include folders are set by the directories whose targets use ITK
# (include(${ITK_USE_FILE}) there): never here, or the lower layers could see ITK.

add_library(CudaSplineWarnings INTERFACE)
target_compile_options(CudaSplineWarnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic>)

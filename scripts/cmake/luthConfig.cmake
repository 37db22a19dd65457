# find_package(luth):
#   luth::core   operators, gradients, modules, optimizers; its headers use fmt
#   luth::io     checkpoints, safetensors, npy (core/io/files.h, core/io/module.h); there where HDF5, libaec, zlib and xxHash are
#                found. find_package(luth COMPONENTS io) insists.
#   luth_add_library(NAME SOURCE...)   a library of operators, kernels and modules, which scripts load
include(CMakeFindDependencyMacro)
find_dependency(fmt)
include(${CMAKE_CURRENT_LIST_DIR}/luthTargets.cmake)

# The archives first, as luth's own program has them: the shared library of HDF5 loads many others.
find_library(LUTH_HDF5_LIBRARY NAMES libhdf5_serial.a hdf5_serial hdf5)
find_library(LUTH_SZ_LIBRARY NAMES libsz.a sz)
find_library(LUTH_AEC_LIBRARY NAMES libaec.a aec)
find_library(LUTH_XXHASH_LIBRARY NAMES libxxhash.a xxhash)
find_package(ZLIB QUIET)
if(LUTH_HDF5_LIBRARY AND LUTH_SZ_LIBRARY AND LUTH_AEC_LIBRARY AND LUTH_XXHASH_LIBRARY AND ZLIB_FOUND)
  set(luth_io_FOUND TRUE)
  if(NOT TARGET luth::io)
    add_library(luth::io STATIC IMPORTED)
    set_target_properties(luth::io PROPERTIES IMPORTED_LOCATION ${CMAKE_CURRENT_LIST_DIR}/../../libluth_io.a
      INTERFACE_LINK_LIBRARIES "luth::core;${LUTH_HDF5_LIBRARY};${LUTH_SZ_LIBRARY};${LUTH_AEC_LIBRARY};ZLIB::ZLIB;${LUTH_XXHASH_LIBRARY};m;${CMAKE_DL_LIBS}")
  endif()
elseif("io" IN_LIST luth_FIND_COMPONENTS)
  set(luth_FOUND FALSE)
  set(luth_NOT_FOUND_MESSAGE "luth::io needs HDF5, libaec, zlib and xxHash (Debian: libhdf5-dev libaec-dev zlib1g-dev libxxhash-dev)")
endif()

# What the language asks of a library before it runs anything in it.
set(luth_stamp_source [[
#include "core/device/library.h"
extern "C" __attribute__((visibility("default"))) const luth::LibraryStamp luth_stamp;
const luth::LibraryStamp luth_stamp = luth::library_stamp();
]])
# A macro, because a language is enabled in the file that asks for it. Sources in .cu are built where there is nvcc; then
# LUTH_LIBRARY_CUDA is defined.
macro(luth_add_library name)
  set(luth_sources_${name} ${ARGN})
  set(luth_cuda_sources_${name} ${ARGN})
  list(FILTER luth_sources_${name} EXCLUDE REGEX "[.]cu$")
  list(FILTER luth_cuda_sources_${name} INCLUDE REGEX "[.]cu$")
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}_stamp.cpp CONTENT "${luth_stamp_source}")
  add_library(${name} MODULE ${luth_sources_${name}} ${CMAKE_CURRENT_BINARY_DIR}/${name}_stamp.cpp)
  set_target_properties(${name} PROPERTIES PREFIX lib SUFFIX .so CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${name} PRIVATE luth::core)
  if(luth_cuda_sources_${name})
    find_program(LUTH_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
    if(LUTH_NVCC)
      if(NOT CMAKE_CUDA_COMPILER)
        set(CMAKE_CUDA_COMPILER ${LUTH_NVCC})
      endif()
      if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES all-major)
      endif()
      enable_language(CUDA)
      target_sources(${name} PRIVATE ${luth_cuda_sources_${name}})
      target_compile_definitions(${name} PRIVATE LUTH_LIBRARY_CUDA=1)
      # the core's headers are for the C++ compiler: sources in .cu have the kernels and what starts them
      set_source_files_properties(${luth_cuda_sources_${name}} PROPERTIES COMPILE_OPTIONS "-Xcompiler=-fPIC")
    else()
      message(STATUS "${name}: there is no nvcc, so it has no code for GPUs")
    endif()
  endif()
endmacro()

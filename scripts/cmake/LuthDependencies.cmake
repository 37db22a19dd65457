# Every library that luth needs; scripts/setup.sh installs them on Debian and names them elsewhere.
# luth_need(FOUND WHAT PACKAGE): one clear sentence for whatever is missing.
macro(luth_need found what package)
  if(NOT ${found})
    message(FATAL_ERROR "luth needs ${what} (Debian package ${package}). 'bash scripts/setup.sh' installs all that is missing.")
  endif()
endmacro()

find_package(Threads REQUIRED)
find_package(TBB QUIET)
luth_need(TBB_FOUND "oneTBB" libtbb-dev)
find_package(fmt QUIET)
luth_need(fmt_FOUND "fmt" libfmt-dev)
find_package(ZLIB QUIET)
luth_need(ZLIB_FOUND "zlib" zlib1g-dev)
# by name: its own CMake files ask for OpenCL's headers, which Debian's package does not bring
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
luth_need(DNNL_LIBRARY "oneDNN" libdnnl-dev)
find_path(JSON_INCLUDE_DIR nlohmann/json.hpp)
luth_need(JSON_INCLUDE_DIR "nlohmann's JSON" nlohmann-json3-dev)
find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp)
luth_need(CLI11_INCLUDE_DIR "CLI11" libcli11-dev)
find_path(XXHASH_INCLUDE_DIR xxhash.h)
find_library(XXHASH_LIBRARY NAMES libxxhash.a xxhash)
luth_need(XXHASH_LIBRARY "xxHash" libxxhash-dev)
# archives again: four shared libraries fewer to load at every start
find_path(TINFO_INCLUDE_DIR term.h)
find_library(TINFO_LIBRARY NAMES libtinfo.a tinfo)
luth_need(TINFO_LIBRARY "libtinfo, for the prompt," libncurses-dev)

# Gloo carries tensors between processes on CPUs; without it luth builds and says what is missing.
find_path(GLOO_INCLUDE_DIR gloo/context.h)
find_library(GLOO_LIBRARY gloo)

# Decoders of images, and SQLite; without them luth builds and says what is missing.
find_path(JPEG_INCLUDE_DIR turbojpeg.h)
find_library(JPEG_LIBRARY turbojpeg)
find_path(PNG_INCLUDE_DIR png.h)
find_library(PNG_LIBRARY png)
find_path(WEBP_INCLUDE_DIR webp/decode.h)
find_library(WEBP_LIBRARY webp)
find_path(SQLITE_INCLUDE_DIR sqlite3.h)
find_library(SQLITE_LIBRARY sqlite3)

# Sockets and signatures of notebooks; without them luth builds and says what is missing.
find_path(ZMQ_INCLUDE_DIR zmq.h)
find_library(ZMQ_LIBRARY zmq)
find_path(SODIUM_INCLUDE_DIR sodium.h)
find_library(SODIUM_LIBRARY sodium)

# Unicode's tables and regular expressions, for tokenizers; without them luth builds and says what is missing.
find_path(UTF8PROC_INCLUDE_DIR utf8proc.h)
find_library(UTF8PROC_LIBRARY utf8proc)
find_path(PCRE2_INCLUDE_DIR pcre2.h)
find_library(PCRE2_LIBRARY pcre2-8)

# luth_mpis: each MPI that is here. Both call their header mpi.h, so each is looked for in its own folders; -DMPICH_INCLUDE_DIR=…
# and -DMPICH_LIBRARY=… (OPENMPI_…) name others.
set(LUTH_MPI AUTO CACHE STRING "build the backend mpi: AUTO (for each of Open MPI and MPICH that is found), ON, OFF")
set(luth_mpis)
if(LUTH_MPI STREQUAL AUTO OR LUTH_MPI)
  set(multiarch /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
  find_path(OPENMPI_INCLUDE_DIR mpi.h PATHS ${multiarch}/openmpi/include /usr/include/openmpi-${CMAKE_SYSTEM_PROCESSOR} NO_DEFAULT_PATH)
  find_library(OPENMPI_LIBRARY mpi PATHS ${multiarch}/openmpi/lib /usr/lib64/openmpi/lib NO_DEFAULT_PATH)
  find_path(MPICH_INCLUDE_DIR mpi.h PATHS /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/mpich /usr/include/mpich-${CMAKE_SYSTEM_PROCESSOR} NO_DEFAULT_PATH)
  find_library(MPICH_LIBRARY NAMES mpich mpi PATHS ${multiarch} /usr/lib64/mpich/lib NO_DEFAULT_PATH)
  foreach(name OPENMPI MPICH)
    if(${name}_INCLUDE_DIR AND ${name}_LIBRARY)
      string(TOLOWER ${name} mpi)
      list(APPEND luth_mpis ${mpi})
    endif()
  endforeach()
  message(STATUS "MPI: ${luth_mpis}")
  if(NOT luth_mpis AND NOT LUTH_MPI STREQUAL AUTO)
    message(FATAL_ERROR "LUTH_MPI=${LUTH_MPI}, but there is neither Open MPI (Debian package libopenmpi-dev) nor MPICH (libmpich-dev)")
  endif()
endif()

# Lua built as C++: an error unwinds, so destructors run.
find_path(LUA_INCLUDE_DIR lua.hpp PATH_SUFFIXES lua5.4)
find_library(LUA_ARCHIVE liblua5.4-c++.a)
luth_need(LUA_ARCHIVE "Lua 5.4 built as C++" liblua5.4-dev)
# Where its functions have names of C++ (Ubuntu 24.04), a copy has those of C, which Lua's headers and compiled modules mean.
execute_process(COMMAND ${CMAKE_NM} --extern-only --defined-only ${LUA_ARCHIVE} OUTPUT_VARIABLE lua_symbols ERROR_QUIET)
string(REGEX MATCHALL "_Z[0-9]+lua[A-Za-z0-9_]+" lua_symbols "${lua_symbols}")
if(lua_symbols)
  set(lua_names)
  foreach(symbol ${lua_symbols})
    string(REGEX MATCH "^_Z([0-9]+)(.+)$" symbol ${symbol})
    string(SUBSTRING ${CMAKE_MATCH_2} 0 ${CMAKE_MATCH_1} name)
    string(APPEND lua_names "${symbol} ${name}\n")
  endforeach()
  file(WRITE ${CMAKE_BINARY_DIR}/lua_names.txt "${lua_names}")
  set(lua_renamed ${CMAKE_BINARY_DIR}/liblua5.4-c++.a)
  execute_process(COMMAND ${CMAKE_OBJCOPY} --redefine-syms=${CMAKE_BINARY_DIR}/lua_names.txt ${LUA_ARCHIVE} ${lua_renamed} COMMAND_ERROR_IS_FATAL ANY)
  set(LUA_ARCHIVE ${lua_renamed})
endif()

# The archives by name: find_package(HDF5) would add curl and crypto, and start-up would take three times as long.
find_path(HDF5_INCLUDE_DIR hdf5.h PATH_SUFFIXES hdf5/serial)
find_library(HDF5_ARCHIVE libhdf5_serial.a)
find_library(SZ_ARCHIVE libsz.a)
find_library(AEC_ARCHIVE libaec.a)
luth_need(HDF5_ARCHIVE "HDF5's static library" libhdf5-dev)
luth_need(SZ_ARCHIVE "libaec's static library" libaec-dev)
luth_need(AEC_ARCHIVE "libaec's static library" libaec-dev)
# For the reader of HDF5 files, which starts in half the time with archives alone; else it takes the shared library.
find_library(ZLIB_ARCHIVE libz.a)

# The OpenMP build of OpenBLAS: one thread per caller is safe there, and it is not in the serial build.
find_library(OPENBLAS_LIBRARY openblas PATHS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/openblas-openmp /usr/lib/openblas-openmp NO_DEFAULT_PATH)
luth_need(OPENBLAS_LIBRARY "the OpenMP build of OpenBLAS" libopenblas-openmp-dev)
# g++'s own OpenMP run-time under every compiler: find_package(OpenMP) under clang would bring a second one into the process
set(GOMP_LIBRARY gomp)

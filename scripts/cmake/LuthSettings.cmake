# Language, warnings, build types, folders and run paths; the helpers that the main file calls.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Kernels take -O3 by themselves; the rest gains nothing from it but time to compile.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEV "-O1")
set(CMAKE_CXX_FLAGS_ASAN "-O0 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all")
# with -fsanitize g++ no longer drops libraries that nothing uses, so it is asked to
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_ASAN "-fsanitize=address,undefined")
  set(CMAKE_${kind}_LINKER_FLAGS_DEV "")
  string(APPEND CMAKE_${kind}_LINKER_FLAGS " -Wl,--as-needed")
endforeach()
set(luth_no_undefined -Wl,-z,defs)
if(CMAKE_BUILD_TYPE STREQUAL Asan AND NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  message(FATAL_ERROR "the sanitizer build wants g++ (clang links its run-time into programs only); set CMAKE_CXX_COMPILER=g++")
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

set(CMAKE_INSTALL_LIBDIR lib)  # Debian's lib/x86_64-linux-gnu would not let a prefix be moved as one tree
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/../lib")
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
# DT_RPATH, which unlike DT_RUNPATH also serves the libraries that our libraries bring: a bundle keeps them all in lib/
add_link_options(-Wl,--disable-new-dtags)

# Our own code only: never passed on to those who link the core.
# Attributes are written as `{.dim = 1}`, which leaves the others at their defaults on purpose.
# g++'s checks of bounds after inlining see faults where there are none (std::sort of a short array); the sanitizers check better.
add_library(luth_settings INTERFACE)
set(luth_warnings -Wall -Wextra -Wno-missing-field-initializers $<$<BOOL:${LUTH_WERROR}>:-Werror>)
set(luth_gnu_flags -fno-semantic-interposition -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict)
target_compile_options(luth_settings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${luth_warnings} $<$<CXX_COMPILER_ID:GNU>:${luth_gnu_flags}>>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wno-missing-field-initializers $<$<BOOL:${LUTH_WERROR}>:-Werror=all-warnings>>)

# luth_precompile(TARGET HEADER...): what most of its files include, read once. Not with ccache, which cannot then tell what changed.
function(luth_precompile target)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/ REGEX "^[^<]")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# luth_quick_to_compile(TARGET): what takes long to compile and little to run. In the sanitizer build it goes without
# those checks of undefined behaviour that stand at every use of a pointer; the address sanitizer sees most of these faults.
function(luth_quick_to_compile target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Asan>:-fno-sanitize=null,alignment,vptr,object-size>)
endfunction()

# luth_glob(VAR FOLDER...): the .cpp files of each folder and its subfolders.
function(luth_glob var)
  set(found)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND found ${files})
  endforeach()
  set(${var} ${found} PARENT_SCOPE)
endfunction()

# luth_elementwise_kernels(VAR DEVICE EXTENSION): adds to VAR a source for each family of elementwise operators (a .cpp of
# core/ops/elementwise with its header), made from the device's kernels/elementwise/family.EXTENSION.in and the family's list, which
# is GammaOps for gamma. A file that the device has for the family takes its place.
function(luth_elementwise_kernels var device extension)
  set(folder devices/${device}/kernels/elementwise)
  file(GLOB families CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/ops/elementwise/*.cpp)
  foreach(path IN LISTS families)
    get_filename_component(family ${path} NAME_WE)
    if(NOT EXISTS ${CMAKE_SOURCE_DIR}/core/ops/elementwise/${family}.h)
      message(FATAL_ERROR "core/ops/elementwise/${family}.cpp: a family of elementwise operators has a header of that name; other files go to core/ops/common")
    elseif(NOT EXISTS ${CMAKE_SOURCE_DIR}/${folder}/${family}.${extension})
      set(list Ops)
      string(REPLACE "_" ";" words ${family})
      list(REVERSE words)
      foreach(word IN LISTS words)
        string(SUBSTRING ${word} 0 1 initial)
        string(SUBSTRING ${word} 1 -1 rest)
        string(TOUPPER ${initial} initial)
        string(PREPEND list ${initial}${rest})
      endforeach()
      set(made ${CMAKE_BINARY_DIR}/generated/${folder}/${family}.${extension})
      configure_file(${CMAKE_SOURCE_DIR}/${folder}/family.${extension}.in ${made} @ONLY)
      list(APPEND ${var} ${made})
    endif()
  endforeach()
  set(${var} ${${var}} PARENT_SCOPE)
endfunction()

# luth_device(NAME SOURCE...): a library that the core opens at run time; it exports what it marks, and nothing else.
function(luth_device name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${name} PRIVATE luth_core luth_settings)
  target_link_options(${name} PRIVATE ${luth_no_undefined})
  set(luth_devices ${luth_devices} ${name} PARENT_SCOPE)
endfunction()

# share/luth in the build tree: a link for each entry of share/, and the example scripts.
function(luth_share_links)
  set(target ${CMAKE_BINARY_DIR}/share/luth)
  file(MAKE_DIRECTORY ${target})
  file(GLOB entries CONFIGURE_DEPENDS LIST_DIRECTORIES true ${CMAKE_SOURCE_DIR}/share/*)
  foreach(entry IN LISTS entries ITEMS ${CMAKE_SOURCE_DIR}/scripts)
    get_filename_component(name ${entry} NAME)
    file(CREATE_LINK ${entry} ${target}/${name} SYMBOLIC)
  endforeach()
endfunction()

# What the program makes in the build tree: the manual page share/man/man1/luth.1, the reference share/luth/reference, the
# definitions for editors share/luth/types/torch.lua. Leaks are for tests to find.
function(luth_generate_share)
  set(share ${CMAKE_BINARY_DIR}/share)
  file(GLOB_RECURSE library CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/share/*.lua)
  add_custom_command(OUTPUT ${share}/luth/types/torch.lua ${share}/man/man1/luth.1
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${share}/luth/reference ${share}/luth/types ${share}/man
    COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:luth> -E ${CMAKE_SOURCE_DIR}/scripts/reference.lua
    DEPENDS luth luth_core ${library} ${CMAKE_SOURCE_DIR}/scripts/reference.lua
    COMMENT "Writing the reference and the manual page" VERBATIM)
  add_custom_target(luth_generated ALL DEPENDS ${share}/luth/types/torch.lua ${share}/man/man1/luth.1)
endfunction()

# luth_isas: the instruction sets to build, luth_flags_<isa>: their flags, luth_runnable_isas: those that this machine can run.
set(luth_flags_v2 -march=x86-64-v2)
set(luth_flags_v3 -march=x86-64-v3)
set(luth_flags_v4 -march=x86-64-v4 -mprefer-vector-width=512)  # g++ takes 256 bits by itself
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(luth_isas generic)
  set(luth_runnable_isas generic)
else()
  set(luth_runnable_isas v2)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
    if(cpu_flags MATCHES " avx2 " AND cpu_flags MATCHES " fma " AND cpu_flags MATCHES " bmi2 ")
      list(APPEND luth_runnable_isas v3)
      if(cpu_flags MATCHES " avx512vl " AND cpu_flags MATCHES " avx512bw " AND cpu_flags MATCHES " avx512dq ")
        list(APPEND luth_runnable_isas v4)
      endif()
    endif()
  endif()
  if(LUTH_CPU_ISAS STREQUAL native-best)
    list(GET luth_runnable_isas -1 luth_isas)
  else()
    set(luth_isas ${LUTH_CPU_ISAS})
  endif()
  foreach(isa IN LISTS luth_isas)
    if(NOT DEFINED luth_flags_${isa})
      message(FATAL_ERROR "LUTH_CPU_ISAS: unknown instruction set '${isa}'; known are v2, v3, v4 and native-best")
    endif()
  endforeach()
endif()

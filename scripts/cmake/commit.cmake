# cmake -DSOURCE=FOLDER -DHEADER=FILE -P commit.cmake: writes the header that names the commit which is built, "" outside of a
# checkout. It runs in each build, and touches the header when the commit is another one.
get_filename_component(above "${SOURCE}" DIRECTORY)
set(ENV{GIT_CEILING_DIRECTORIES} "${above}")  # the sources within another project are none of its commits
set(ENV{GIT_OPTIONAL_LOCKS} 0)
set(commit "")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} describe --always --dirty --abbrev=40 --exclude=* WORKING_DIRECTORY "${SOURCE}"
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(text "// The commit of which luth was built; written by scripts/cmake/commit.cmake.
#pragma once

namespace luth {
inline constexpr const char* commit = \"${commit}\";
}  // namespace luth
")
set(old "")
if(EXISTS "${HEADER}")
  file(READ "${HEADER}" old)
endif()
if(NOT old STREQUAL text)
  file(WRITE "${HEADER}" "${text}")
endif()

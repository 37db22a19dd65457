# find_package(luth): the target luth::core, whose headers use fmt.
include(CMakeFindDependencyMacro)
find_dependency(fmt)
include(${CMAKE_CURRENT_LIST_DIR}/luthTargets.cmake)

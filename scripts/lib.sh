# Shared by the scripts of this folder, which source it: moves to the repository's root and offers cores and build.
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cores() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN; }
# Tests to run at once. Some wait: for a signal, a time-out or other processes.
tests_at_once() { echo $(($(cores) + 1)); }

# The compute capability to build CUDA for where one is enough: that of the GPU here ("90"), else Hopper's.
cuda_architecture() {
  local found
  found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .) || true
  case $found in '' | *[!0-9]*) echo 90 ;; *) echo "$found" ;; esac
}

# Options for all that luth has; the demo builds less in the same folder.
everything=(-DLUTH_CUDA=AUTO "-DLUTH_CPU_ISAS=v2;v3;v4")

# build PRESET TARGET [CMAKE OPTION...]: configures build/PRESET and builds TARGET; make stands in where Ninja is not there.
build() {
  local preset=$1 target=$2 options=("${@:3}")
  # a tree keeps the generator that it was made with
  if [ ! -e "build/$preset/CMakeCache.txt" ] && ! command -v ninja >/dev/null; then
    options+=(-G "Unix Makefiles")
  elif grep -qs '^CMAKE_GENERATOR:INTERNAL=Unix Makefiles' "build/$preset/CMakeCache.txt"; then
    options+=(-G "Unix Makefiles")
  fi
  [ -z "${LUTH_CUDA_ARCHITECTURES:-}" ] || options+=("-DLUTH_CUDA_ARCHITECTURES=$LUTH_CUDA_ARCHITECTURES")
  [ -z "${LUTH_WERROR:-}" ] || options+=("-DLUTH_WERROR=$LUTH_WERROR")
  cmake --preset "$preset" "${options[@]}"
  cmake --build "build/$preset" --parallel "$(cores)" --target "$target"
}

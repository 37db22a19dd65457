#!/usr/bin/env bash
# luth is configured in a folder whose name has a space; the command that links it names files that are there.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build="$work/my luth"
generator=$(sed -n s/^CMAKE_GENERATOR:INTERNAL=//p "$LUTH_BUILD/CMakeCache.txt")
cmake -G "$generator" -S "$LUTH_SOURCE" -B "$build" -DLUTH_CUDA=OFF -DLUTH_TESTS=OFF -DCMAKE_CXX_COMPILER="${CXX:-c++}" >"$work/log" 2>&1 ||
  { cat "$work/log"; exit 1; }
case $generator in
  Ninja) ninja -C "$build" -t commands bin/luth | grep -e ' -o bin/luth ' >"$work/link" ;;
  *) cp "$build/CMakeFiles/luth.dir/link.txt" "$work/link" ;;
esac
cd "$build"
count=0
while read -r file; do
  count=$((count + 1))
  [ -e "$file" ] || { echo "the program is linked with '$file', which is not there"; exit 1; }
done < <(xargs -n 1 <"$work/link" | grep 'liblua.*\.a')
[ "$count" -gt 0 ] || { echo 'no archive of Lua is linked'; exit 1; }

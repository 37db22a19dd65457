#!/usr/bin/env bash
# An installation that was moved after it was installed still runs, finds its share/, and serves find_package(luth): a C++
# program that trains a network builds against it and converges.
set -euo pipefail
[ "${LUTH_BUILD_TYPE:-}" != Asan ] || { echo "skipped: a program without the sanitizers cannot link this core"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$LUTH_BUILD" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/moved"
prefix=$work/moved
cd "$work"

unset LUTH_PROGRAM
env -i PATH=/usr/bin:/bin HOME="$work" "$prefix/bin/luth" -e 'print(torch.ones(64, 64):mm(torch.ones(64, 64)):sum():item())' | grep -qx '262144.0'
env -i PATH=/usr/bin:/bin HOME="$work" "$prefix/bin/luth" -e "local train = data.mnist{root = 'data/mnist'}; assert(#train == 60000)"
for file in share/luth/reference/elementwise.md share/luth/types/torch.lua share/luth/luth/check/rules.lua share/man/man1/luth.1; do
  [ -s "$prefix/$file" ] || { echo "$file is not installed"; exit 1; }
done
for file in "$prefix"/lib/libluth_*.so "$prefix/bin/luth"; do
  if readelf -d "$file" | grep -E 'R(UN)?PATH' | grep -F "$LUTH_BUILD"; then
    echo "$file looks into the build tree"
    exit 1
  fi
done

cmake -G "$(sed -n s/^CMAKE_GENERATOR:INTERNAL=//p "$LUTH_BUILD/CMakeCache.txt")" -S "$LUTH_SOURCE/tests/consumer" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="${CXX:-c++}" >"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/consumer" >"$work/log" || { cat "$work/log"; exit 1; }
"$work/consumer/consumer"

# HDF5 is read by a process of its own; where that is missing, the error says so and nothing is parsed in its place.
mv "$prefix/libexec/luth/read-hdf5" "$work/read-hdf5"
"$prefix/bin/luth" -e "torch.save({1}, '$work/one.h5') assert(torch.load('$work/one.h5', {trusted = true})[1] == 1)"
code=0
"$prefix/bin/luth" -e "torch.load('$work/one.h5')" 2>"$work/error" || code=$?
[ "$code" = 5 ] && grep -q 'libexec/luth/read-hdf5.*does not start' "$work/error" && grep -q 'trusted = true' "$work/error"
mv "$work/read-hdf5" "$prefix/libexec/luth/read-hdf5"

# A model that a script trained serves in C++, and the files of C++ load in scripts.
"$prefix/bin/luth" "$LUTH_SOURCE/tests/consumer/train.lua" "$work"
"$work/consumer/serve" "$work"
"$prefix/bin/luth" -e "
  local served, y = torch.load('$work/served.h5'), torch.load('$work/y.npy')
  assert(torch.equal(served(torch.load('$work/x.npy')):detach(), y))
  served:load_state_dict(torch.load('$work/served.safetensors'))"

#!/usr/bin/env bash
# Makes luth-<version>-linux-<arch>.tar.gz: a folder that runs where it is unpacked and needs no package.
#   bash scripts/bundle.sh [--no-build] [--gpu-tests] [--output FOLDER]
# --no-build takes build/release (or $LUTH_BUILD) as it is.
# --gpu-tests adds the tests that scripts/gpu_check.sh runs, and leaves out share/data, which is beside that script. Such a bundle
# may have at most 40 MB, which is enough for one architecture (LUTH_CUDA_ARCHITECTURES=90). $LUTH_BUNDLE_MOST sets another limit,
# for any bundle.
# In the bundle: bin/luth, libexec/luth, luth's libraries, the shared libraries that they need, share/. Not in it: glibc, libstdc++ and
# libgcc_s. Every system has these, and a bundled copy must not be older than the system's; so a bundle runs on this distribution
# and on later ones. Nor MPI: a run uses the one that started it, which is the machine's.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
output=$PWD build=1 gpu_tests=
while [ $# -gt 0 ]; do
  case $1 in
    --no-build) build= ;;
    --gpu-tests) gpu_tests=1 ;;
    --output) output=$(cd "${2:?bundle: --output wants a folder}" && pwd); shift ;;
    *) echo "bundle: unknown option $1 (known: --no-build, --gpu-tests, --output FOLDER)" >&2; exit 2 ;;
  esac
  shift
done
[ -z "$build" ] || bash "$here/setup.sh"
. "$here/lib.sh"
# every architecture, unless the caller wants fewer: the tree may have been configured for one, for tests
[ -z "$build" ] || build release all "${everything[@]}" "-DLUTH_CUDA_ARCHITECTURES=${LUTH_CUDA_ARCHITECTURES:-}" "-DLUTH_TESTS=$([ -n "$gpu_tests" ] && echo ON || echo OFF)"
tree=${LUTH_BUILD:-build/release}

version=$(sed -n 's/^CMAKE_PROJECT_VERSION:STATIC=//p' "$tree/CMakeCache.txt")
name=luth-$version-linux-$(uname -m)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/$name
cmake --install "$tree" --component runtime --strip --prefix "$stage" >"$work/install.log" || { cat "$work/install.log" >&2; exit 1; }

git rev-parse --short HEAD >"$stage/share/luth/commit" 2>/dev/null || true
if [ -n "$gpu_tests" ]; then
  rm -rf "$stage/share/luth/data"
  cmake --build "$tree" --target luth_test_gpu --parallel "$(cores)" >"$work/tests.log" || { cat "$work/tests.log" >&2; exit 1; }
  install -m 755 "$tree/tests/luth_test_gpu" "$stage/bin/"
  strip "$stage/bin/luth_test_gpu"
fi

# linked FOLDER: what ldd says of luth's own programs and libraries in a bundle
linked() { find "$1/bin/luth" "$1/libexec/luth" "$1/lib" -type f ! -name '*.so.*' ! -name 'libluth_mpi_*' -exec ldd {} + 2>/dev/null; }
# needs FOLDER: "soname path" of every shared library that they need, directly or not
needs() { linked "$1" | sed -n 's/^\t\([^ ]*\) => \(\/[^ ]*\) .*/\1 \2/p' | sort -u; }
# the part of the system that every program shares, and our own libraries
baseline='^(ld-linux.*|lib(c|m|mvec|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s|asan|ubsan)\.so.*|libluth_.*) '

if linked "$stage" | grep 'not found'; then
  echo "bundle: the libraries named above are missing here, so they cannot be bundled" >&2
  exit 1
fi
# license PATTERN: the terms of the package that has a file of that path, and the texts that they refer to
license() {
  local package terms text
  package=$(dpkg-query -S "$1" 2>/dev/null | sed 's/:.*//;q') || true
  terms=/usr/share/doc/$package/copyright
  [ -n "$package" ] && [ -e "$terms" ] || return 0
  install -D -m 644 "$terms" "$stage/share/luth/licenses/$package"
  for text in $(grep -o '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$terms" | sort -u); do
    [ ! -e "$text" ] || install -D -m 644 "$text" "$stage/share/luth/licenses/common/${text##*/}"
  done
}
needs "$stage" | grep -Ev "$baseline" >"$work/needs" || true
while read -r soname path; do
  [ "${path#"$stage"}" = "$path" ] || continue
  install -m 644 "$path" "$stage/lib/$soname"
  license "*/$(basename "$(realpath "$path")")"
done <"$work/needs"
# What the programs contain: archives, the reader's C++ run-time, and what is headers alone. None is under a licence that asks for
# more than its terms; glibc would, and is shared.
for archive in $(sed -n 's/^[^#]*=\(\/.*\.a\)$/\1/p' "$tree/CMakeCache.txt") libstdc++.a; do license "*/${archive##*/}"; done
for header in fmt/format.h CLI/CLI.hpp nlohmann/json.hpp; do license "*/$header"; done

tarball=$output/$name.tar.gz
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner -cf - "$name" | gzip "${LUTH_BUNDLE_GZIP:--6}" >"$tarball"

# unpacked elsewhere, with an empty environment, it takes nothing but the baseline from outside itself
mkdir "$work/elsewhere"
tar -C "$work/elsewhere" -xzf "$tarball"
rm -rf "$stage"
moved=$work/elsewhere/$name
if needs "$moved" | grep -Ev "$baseline" | grep -v " $moved/"; then
  echo "bundle: the libraries named above would come from outside the bundle" >&2
  exit 1
fi
env -i PATH=/usr/bin:/bin HOME="$work" "$moved/bin/luth" -e "
  local a = torch.ones(256, 256)
  assert((a:mm(a)):sum():item() == 256 ^ 3)
  torch.save(a, '$work/a.h5')
  assert(torch.equal(torch.load('$work/a.h5'), a))"
bytes=$(stat -c %s "$tarball")
size=$(((bytes + 999999) / 1000000)) most=${LUTH_BUNDLE_MOST:-${gpu_tests:+40}}
if [ -n "$most" ] && [ "$size" -gt "$most" ]; then
  rm "$tarball"
  echo "bundle: $name.tar.gz has $size MB, and may have $most; build it for one architecture:" \
    "LUTH_CUDA_ARCHITECTURES=90 bash scripts/bundle.sh${gpu_tests:+ --gpu-tests}" >&2
  exit 1
fi
echo "bundle: $tarball ($size MB)"
if [ "$size" -ge 60 ]; then
  echo "bundle: that is over 60 MB; for fewer GPUs it is smaller: LUTH_CUDA_ARCHITECTURES=90 bash scripts/bundle.sh" >&2
fi

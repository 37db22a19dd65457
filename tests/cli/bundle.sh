#!/usr/bin/env bash
# scripts/bundle.sh makes a tarball that runs where it is unpacked, with the build tree out of reach.
set -euo pipefail
[ "${LUTH_BUILD_TYPE:-}" != Asan ] || { echo "skipped: the sanitizer build is not bundled"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export LUTH_BUNDLE_GZIP=-1
if LUTH_BUNDLE_MOST=1 bash "$LUTH_SOURCE/scripts/bundle.sh" --no-build --output "$work" 2>"$work/said"; then
  echo "a bundle over the limit was made"
  exit 1
fi
grep -q 'and may have 1; build it for one architecture' "$work/said"
[ -z "$(ls "$work"/luth-*.tar.gz 2>/dev/null)" ] || { echo "what was too large is still there"; exit 1; }
bash "$LUTH_SOURCE/scripts/bundle.sh" --no-build --output "$work"
tar -C "$work" -xzf "$work"/luth-*.tar.gz
cd "$work"/luth-*/
if command -v dpkg-query >/dev/null; then
  for part in libhdf5-dev liblua5.4-dev libfmt-dev libopenblas0-openmp; do
    [ -s "share/luth/licenses/$part" ] || { echo "the terms of $part are missing"; exit 1; }
  done
  [ -s share/luth/licenses/common/GPL-3 ] || { echo "a text that the terms refer to is missing"; exit 1; }
fi
# not into grep -q, which ends at the first match: ldd may then end by a signal
[[ $(ldd libexec/luth/read-hdf5) == *libc.so* ]] || { echo "the reader contains glibc, whose licence asks more"; exit 1; }
clean=(env -i PATH=/usr/bin:/bin HOME="$work")
"${clean[@]}" bin/luth -e "assert(#data.mnist{root = 'data/mnist', train = false} == 10000)"
"${clean[@]}" bin/luth -e 'local c = nn.Conv2d(3, 8, 3); assert(#c(torch.ones(2, 3, 9, 9)) == 2)'
"${clean[@]}" LD_DEBUG=libs bin/luth -e 'torch.linalg.inv(torch.eye(30))' 2>"$work/libs"
grep -F 'calling init' "$work/libs" >"$work/loaded"
if grep -F "$LUTH_SOURCE" "$work/loaded"; then
  echo "the bundle took the libraries above from the build tree"
  exit 1
fi
if ! grep -F "$PWD/" "$work/loaded" | grep '/libopenblas\.so\.0$' >/dev/null; then
  cat "$work/loaded"
  echo "OpenBLAS did not come from the bundle"
  exit 1
fi

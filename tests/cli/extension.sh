#!/usr/bin/env bash
# A library of an operator, its kernels and a module builds against an installed luth, with nvcc where there is one. Scripts
# load it, and its samples run through the generated tests. Libraries of another build are refused before they run.
set -euo pipefail
[ "${LUTH_BUILD_TYPE:-}" != Asan ] || { echo "skipped: a library without the sanitizers cannot be loaded"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { "$@" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }; }
run cmake --install "$LUTH_BUILD" --prefix "$work/luth"
cd "$work"
cp -r "$LUTH_SOURCE/tests/extension" source
run cmake -S source -B build -DCMAKE_PREFIX_PATH="$work/luth" -DCMAKE_CXX_COMPILER="${CXX:-c++}" \
  -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CUDA_ARCHITECTURES=80
run cmake --build build
luth=$work/luth/bin/luth
"$luth" "$LUTH_SOURCE/tests/extension/test.lua" "$work/build"

"$luth" -e "torch.ops.load_library('build/libmine.so') help(torch.ops.mine.affine)" >help
grep -qF 'torch.ops.mine.affine(input, a = 1.0, b = 0.0)' help || { cat help; exit 1; }

# the generated tests, without luth's own operators and modules
LUTH_LIBRARY=$work/build/libmine.so "$LUTH_BUILD/tests/luth_test_registry" --gtest_filter='*mine*:ModuleRules*-*Sources*' --gtest_brief=1 >tests.log 2>&1 ||
  { cat tests.log; exit 1; }
grep -qE '[1-9][0-9]* tests from' tests.log || { cat tests.log; exit 1; }
# its modules follow the rules too: here a setting has no help
sed -i 's/"the summand for all"/""/' source/rescale.cpp
cp build/libmine.so libgood.so
run cmake --build build
LUTH_LIBRARY=$work/build/libmine.so "$LUTH_BUILD/tests/luth_test_registry" --gtest_filter='ModuleRules*' >tests.log 2>&1 &&
  { echo 'a setting without help passed'; exit 1; }
grep -q 'FAILED.*ModuleRules.SettingsAreDocumented' tests.log || { cat tests.log; exit 1; }
# a kernel without its operator, whose Define is missing
sed -i 's/^const luth::Define<Affine> affine_;//' source/affine.cpp
run cmake --build build
mv build/libmine.so libundefined.so
mv libgood.so build/libmine.so

# another ABI, and a library that is none of luth's
refused() {
  "$luth" -e "torch.ops.load_library('$1')" >out 2>&1 && { echo "$1 was loaded"; exit 1; }
  grep -q "$2" out || { cat out; exit 1; }
}
sed 's/luth library: luth [0-9.]*/luth library: luth 9.9/' build/libmine.so >libother.so
refused "$work/libother.so" 'was built for luth 9.9.*build it again'
echo 'int x;' >none.cpp
run "${CXX:-c++}" -shared -fPIC none.cpp -o libnone.so
refused "$work/libnone.so" 'is no library of luth'
refused "$work/missing.so" 'cannot open'
refused "$work/libundefined.so" "kernel of 'mine::affine'.*Define<Op>"

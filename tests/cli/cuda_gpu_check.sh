#!/usr/bin/env bash
# scripts/gpu_check.sh, dry, on the fake GPU: what it makes of tests that pass, fail, crash and lose the device, of a
# benchmark that is cut off, and of a sanitizer's word. One suite is the true one; the rest is played.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
stage=$work/luth-0-test
mkdir -p "$stage/bin" "$stage/share/luth" "$work/bin"
echo 0123abc >"$stage/share/luth/commit"

# luth, but for what the fake GPU is too slow for
cat >"$stage/bin/luth" <<END
#!/usr/bin/env bash
case "\$1 \$*" in
  bench*--list*) printf '%s\n' gpu/copy_256MB norm/a norm/b.5 train/c overhead/d ;;
  bench*'^gpu/'*) echo '{"name":"gpu/copy_256MB","unit":"GB/s","value":4000,"median":0.001}' ;;
  bench*'^norm/'*) echo '{"name":"norm/a","unit":"ms","value":2,"median":0.002}'; exit 1 ;;
  bench*) echo '{"name":"train/c","unit":"ms","value":1,"median":0.001}' ;;
  train*) echo "epoch 1 accuracy 0.98" ;;
  *) exec "$LUTH_PROGRAM" "\$@" ;;
esac
END
cat >"$stage/bin/luth_test_gpu" <<END
#!/usr/bin/env bash
case "\$*" in
  *list_tests*) printf '%s\n' 'Running main() from gtest_main.cc' Casts. '  AllPairs' Crash. '  Now' Lost. '  One' '  Two' Unasked. '  No' ;;
  *=Casts.*) exec "$LUTH_BUILD/tests/luth_test_cuda" "\$@" ;;
  *=Crash.*) [ \$GTEST_SHARD_INDEX != 2 ] || { echo "[ RUN      ] Crash.Now"; kill -SEGV \$\$; } ;;
  *=Lost.*)
    [ \$GTEST_SHARD_INDEX != 1 ] || {
      printf '%s\n' '[ RUN      ] Lost.One' 'x.cpp:7: Failure' 'add: the device is lost to this process' '[  FAILED  ] Lost.One (3 ms)'
      exit 1
    } ;;
  *=Unasked.*) echo "[  FAILED  ] Unasked.No (0 ms)"; exit 1 ;;
  *--tool*) ;;
  *Parity*) [ "\$LUTH_CUDA_NO_CACHE" = 1 ] || exit 3 ;;
esac
END
cat >"$work/bin/compute-sanitizer" <<'END'
#!/usr/bin/env bash
[ "$*" = "${*/racecheck/}" ] || { echo "a hazard"; exit 9; }
while [[ $1 != */luth_test_gpu ]]; do shift; done
exec "$@"
END
cat >"$work/peer.py" <<'END'
import json, sys, time
wanted = sys.argv[sys.argv.index('--filter') + 1]
if 'norm' in wanted:
    assert wanted == r'^(gpu/copy_256MB|norm/a|norm/b\.5)$', wanted
    print(json.dumps({'name': 'norm/a', 'unit': 'ms', 'value': 6.0, 'median': 0.006, 'GB/s': 1000.0}), flush=True)
if 'train' in wanted: time.sleep(600)
END
chmod +x "$stage"/bin/* "$work"/bin/*
tar -C "$work" -czf "$work/bundle.tar.gz" luth-0-test

check() {
  rc=0
  PATH=$work/bin:$PATH LUTH_BUNDLE=$work/bundle.tar.gz bash "$LUTH_SOURCE/scripts/gpu_check.sh" "$@" >"$work/out" 2>&1 || rc=$?
  cat "$work/out"
}
expect() { grep -Eq -- "$1" "$work/report/report.md" || { echo "the report lacks: $1"; exit 1; }; }

check --seconds 500 --each 20 --suites '^(Casts|Crash|Lost)$' --benchmarks 'gpu norm,train' --rounds 1 "$work/report" "$work/peer.py"
[ $rc = 1 ] || { echo "it ended with $rc"; exit 1; }
expect 'commit 0123abc'
expect 'cuBLASLt +13.1.1'
expect 'cuDNN +9.12.3'
expect 'tests: Crash, shard 2, ended with 139 in Crash.Now'
expect 'tests: 1 passed, 0 skipped, 1 FAILED, in 3 suites and four shards'
expect '^ +Lost.One \(3 ms\)$'
expect '^ +add: the device is lost'
expect '^- memcheck: passed'
expect '^- racecheck: FAILED with 9'
expect '^ +a hazard'
expect 'accuracy 0.98'
expect '^- nccl: passed'
expect '^- bench-1-gpu-norm: FAILED with 1'
expect '^- bench-1-train: passed'
expect '^- peer-1-train: UNFINISHED \(cut off after'
expect '\| norm/a \| 2 \| ms \| 6 \| 3.00 \| 3000 \| 75 % \|'
expect '^Not measured: norm/b.5$'


check --seconds 0 --suites '^Casts$' --rounds 1 "$work/report" "$work/peer.py"
[ $rc = 1 ] || { echo "without time it ended with $rc"; exit 1; }
expect '^- tests: UNFINISHED: Casts/0 Casts/1 Casts/2 Casts/3$'
expect '^- memcheck: UNFINISHED \(no time'
expect '^- bench-1-overhead: UNFINISHED \(no time'
expect '^Not measured: gpu/copy_256MB norm/a norm/b.5 train/c overhead/d$'

FAKECUDA_DRIVER=none check "$work/report"
[ $rc = 0 ] || { echo "without a GPU it ended with $rc"; exit 1; }
expect 'no NVIDIA driver'
expect '^skipped: '

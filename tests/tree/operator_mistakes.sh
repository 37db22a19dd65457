#!/usr/bin/env bash
# Mistakes in operators and kernels do not compile, and the compiler says in a sentence why: operator_mistakes.txt.
set -uo pipefail
mistakes=$(dirname "$0")/operator_mistakes.txt
if said=$(LC_ALL=C "${CXX:-c++}" -std=c++20 -fsyntax-only -x c++ -DFMT_SHARED -I"$LUTH_SOURCE" -I"$LUTH_BUILD/generated" "$mistakes" 2>&1); then
  echo "all of it compiles"
  exit 1
fi
bad=0
while IFS= read -r sentence; do
  grep -qF -- "$sentence" <<<"$said" || { echo "not said: $sentence"; bad=1; }
done < <(sed -n 's,^//! ,,p' "$mistakes")
[ $bad = 0 ] || printf '%s\n' "$said" | grep error
exit $bad

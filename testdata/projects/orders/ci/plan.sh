#!/usr/bin/env bash
# Plans what this checkout would change, as a step of a review: leaves the plan in build/plan.textproto for whoever applies
# it, and what it says in build/comment.md. Ends with 0 when there is a plan that can be applied, or nothing to do; else
# with the exit code of the tool that said no.
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p build
rm -f build/plan.textproto
code=0
{
  st-compile . --env "${ST_ENV:-local}" > build/topology.textproto &&
    st-test . --env "${ST_ENV:-local}" > build/tests.textproto &&
    st-observe < build/topology.textproto > build/observed.textproto &&
    st-plan --detailed-exitcode --out build/plan.textproto < build/observed.textproto
} 2> build/said.txt || code=$?

case $code in
  0) verdict='No changes.' ;;
  10) verdict='The declarations change what is deployed.' ;;
  11) verdict='What is deployed was changed from outside; applying this plan sets it back.' ;;
  12) verdict='The declarations change, and what is deployed was changed from outside.' ;;
  1) verdict='Refused: this cannot be applied.' ;;
  *) verdict="No plan could be made (exit code $code)." ;;
esac
{
  printf '### st plan: %s\n\n%s\n\n```\n' "${ST_ENV:-local}" "$verdict"
  cat build/said.txt
  printf '```\n'
} > build/comment.md
cat build/comment.md
case $code in 0 | 10 | 11 | 12) ;; *) exit "$code" ;; esac

#!/usr/bin/env bash
# One rule for files and streams in all tools: what the system cannot do now (no room, read-only, a reader that went
# away, an I/O error) is exit 3; a path that can never be meant (it exists, is a folder, has none) is exit 1.
set -u
declare -A tool
for name in import compile test observe plan apply resume state; do tool[$name]=$PWD/tools/st-$name/st-$name; done
cd "$TEST_TMPDIR" || exit 1
export ST_STATE_DIR=$PWD/state
failures=0

fail() {
  printf 'FAIL: %s\n' "$*"
  failures=$((failures + 1))
}

# answers WHAT WANTED_CODE WANTED_PATTERN: of the command that just ran with its errors in `errors`
answers() {
  local code=$?
  [[ $code == "$2" ]] || fail "$1: exit code $code, wanted $2: $(cat errors)"
  [[ $(cat errors) =~ $3 ]] || fail "$1: no match of '$3' in: $(cat errors)"
}

mkdir project
cat > project/stream_project.yml <<'YML'
project: {name: shop}
runtime: {kafka: {bootstrap_servers: "127.0.0.1:1"}}
models:
  - {name: orders, materialized: topic, topic: {partitions: 1}, columns: [{name: id, type: STRING}]}
YML
if ! { "${tool[compile]}" project --quiet > topology && "${tool[observe]}" --offline --quiet < topology > observed &&
  "${tool[plan]}" --out plan --quiet < observed; }; then
  fail "the documents are not made"
fi

for name in "${!tool[@]}"; do
  help=$("${tool[$name]}" --help)
  [[ $help == *$'\n  3 '*'read'*'writ'* ]] || fail "st-$name --help does not say what 3 means: $help"
  lines=$(wc -l <<< "$help")
  (( lines >= 20 && lines <= 40 )) || fail "st-$name --help has $lines lines"
done

# Standard output.
"${tool[compile]}" project > /dev/full 2> errors
answers "st-compile to a full device" 3 'standard output: cannot write: No space left'
"${tool[test]}" project > /dev/full 2> errors
answers "st-test to a full device" 3 'standard output: cannot write: No space left'
"${tool[observe]}" --offline < topology > /dev/full 2> errors
answers "st-observe to a full device" 3 'standard output: cannot write: No space left'
"${tool[plan]}" < observed > /dev/full 2> errors
answers "st-plan to a full device" 3 'standard output: cannot write: No space left'
"${tool[apply]}" --plan plan < topology > /dev/full 2> errors
answers "a refusal keeps its exit code" 1 'the report could not be written: standard output: cannot write: No space left'
mkfifo gone
{ read -r _ < gone; "${tool[plan]}" < observed 2> errors; echo $? > code; } | { exec <&-; echo yes > gone; }
(exit "$(cat code)")
answers "st-plan to nobody" 3 'the reader at the other end went away'

# Standard input.
for name in observe plan; do
  "${tool[$name]}" <&- > out 2> errors
  answers "st-$name of what cannot be read" 3 '^-: error: cannot read: Bad file descriptor \[READ_FAILED\]'
  "${tool[$name]}" < project > out 2> errors
  answers "st-$name of a folder" 1 '^-: error: .*name a file, not a folder \[UNREADABLE\]'
done

# Files that are read. The first page of a process is never mapped: reading it gives EIO.
for name in apply resume; do
  arguments=()
  [[ $name == apply ]] || arguments=(--operation 00000000-0000-4000-8000-000000000000)
  "${tool[$name]}" --plan /proc/self/mem "${arguments[@]}" < topology > out 2> errors
  answers "st-$name with a plan that cannot be read" 3 '^/proc/self/mem: error: .*READ_FAILED'
  "${tool[$name]}" --plan missing "${arguments[@]}" < topology > out 2> errors
  answers "st-$name with a plan that is not there" 1 '^missing: error: .*NO_SUCH_FILE'
  "${tool[$name]}" --plan project "${arguments[@]}" < topology > out 2> errors
  answers "st-$name with a folder for a plan" 1 '^project: error: .*UNREADABLE'
done
"${tool[import]}" --bootstrap-servers 127.0.0.1:1 --client-properties /proc/self/mem > out 2> errors
answers "st-import with properties that cannot be read" 3 '/proc/self/mem: cannot read: Input/output error'
mkdir -p broken/sources && cp project/stream_project.yml broken && ln -s /proc/self/mem broken/sources/a.yml
"${tool[compile]}" broken > out 2> errors
answers "st-compile of what cannot be read" 3 'a.yml: error: .*READ_FAILED'
"${tool[test]}" broken > out 2> errors
answers "st-test of what cannot be read" 3 'a.yml: error: .*READ_FAILED'
"${tool[compile]}" nowhere > out 2> errors
answers "st-compile of nothing" 1 'nowhere: error: .*FILE_UNREADABLE'

# A state store: looking makes none, and what is wrong with the command line is told apart from what is wrong there.
"${tool[state]}" show --sqlite "$PWD/none.db" > out 2> errors
answers "st-state of a store that is not there" 0 'none.db: there is no state store yet'
[[ ! -e none.db ]] || fail "looking made a store"
"${tool[state]}" show < topology > /dev/full 2> errors
answers "st-state to a full device" 3 'standard output: cannot write: No space left'
"${tool[state]}" init --sqlite "$PWD/some.db" > out 2> errors
answers "st-state init" 0 'some.db: store [-0-9a-f]+, 0 addresses'
"${tool[state]}" verify --sqlite "$PWD/project" > out 2> errors
answers "st-state of a folder" 1 'not a regular file'
echo nothing > damaged.db
"${tool[state]}" verify --sqlite "$PWD/damaged.db" > out 2> errors
answers "st-state of something else" 1 'not a state file'
"${tool[state]}" show --postgres-dsn-env ST_NO_SUCH --schema s > out 2> errors
answers "st-state without a connection string" 1 '\$\{ST_NO_SUCH\} is not set'
ST_SOME_DSN="host=127.0.0.1 port=1 password=canary sslmode=disable" \
  "${tool[state]}" show --postgres-dsn-env ST_SOME_DSN --schema s > out 2> errors
answers "st-state of a server that is away" 3 'ST_SOME_DSN: cannot connect'
! grep -q canary errors || fail "a password is told"
for wrong in "" "list" "show show" "show --to-sqlite x" "copy --sqlite x" "show --sqlite x --schema s" "history --sqlite x" \
  "show --schema s" "recover" "recover --settle undone" "recover --apply x" "recover --settle observed --apply x" \
  "recover --settle observed --sqlite x" "show --settle observed" "show --address a/b"; do
  # shellcheck disable=SC2086  # several words
  "${tool[state]}" $wrong < topology > out 2> errors
  answers "st-state $wrong" 2 '^st-state: error: '
done

# Files that are written.
"${tool[plan]}" --out plan < observed 2> errors
answers "st-plan over a plan" 1 'plan: cannot write: File exists'
"${tool[plan]}" --out project < observed 2> errors
answers "st-plan over a folder" 1 'project: cannot write: File exists'
"${tool[plan]}" --out nowhere/plan < observed 2> errors
answers "st-plan into nothing" 1 'nowhere: cannot open the folder: No such file'
"${tool[plan]}" --out - < observed 2> errors
answers "a plan has a name" 2 'without --out the plan goes to standard output'
[[ ! -e - ]] || fail "a file named - was made"

# A read-only mount: in a namespace of our own, as root ignores modes.
mkdir read-only
if unshare --mount --map-root-user true 2> errors; then
  # shellcheck disable=SC2016  # the inner shell's own argument
  unshare --mount --map-root-user bash -c 'mount -t tmpfs -o ro none read-only && "$1" --out read-only/plan < observed' \
    - "${tool[plan]}" 2> errors
  answers "st-plan on a read-only mount" 3 'read-only/plan: cannot .*mounted read-only'
else
  fail "this machine lets nobody mount in a namespace of their own: $(cat errors)"
fi

# A path that no document can hold is refused by name, not written into one.
for folder in $'\xff' $'a\xe2\x80\x8bb' $'a\nb'; do
  ST_STATE_DIR=$PWD/$folder "${tool[observe]}" < topology > out 2> errors
  answers "a state folder that cannot be named" 1 'the state folder.s path is not UTF-8, or holds what nobody can see'
  [[ ! -s out ]] || fail "st-observe wrote a document about a folder that it cannot name"
done

[[ $failures -eq 0 ]] && echo "all as expected"
exit $((failures > 0))

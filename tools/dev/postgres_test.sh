#!/usr/bin/env bash
# Real servers through postgres: data survives a stop and a kill, two do not meet, and nothing of one is left.
set -euo pipefail

postgres=$PWD/tools/dev/postgres
dir=$(mktemp -d "$TEST_TMPDIR/postgres.XXXXXX")
trap '"$postgres" remove "$dir/a"; "$postgres" remove "$dir/b"; "$postgres" remove "$dir/c"' EXIT

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

expect() {  # what wanted got
  [[ $2 == "$3" ]] || fail "$1: wanted '$2', got '$3'"
}

sql() {  # connection-string statement
  psql "$1" -XAtqc "$2"
}

server=$("$postgres" start "$dir/a" --config max_connections=20)
expect "a setting" 20 "$(sql "$server" 'SHOW max_connections')"
sql "$server" 'CREATE TABLE t (x int); INSERT INTO t VALUES (7)'
"$postgres" start "$dir/a" && fail "a second server in one folder"
expect "connection string after a restart" "$server" "$("$postgres" restart "$dir/a")"
"$postgres" kill "$dir/a"
sql "$server" 'SELECT 1' 2> "$dir/errors" && fail "a killed server answers"
expect "connection string after a kill" "$server" "$("$postgres" start "$dir/a")"
expect "rows after a kill" 7 "$(sql "$server" 'SELECT x FROM t')"

standby=$("$postgres" standby "$dir/b" "$dir/a")
expect "a standby" t "$(sql "$standby" 'SELECT pg_is_in_recovery()')"
expect "its rows" 7 "$(sql "$standby" 'SELECT x FROM t')"

place=$(< "$dir/b/place")
"$postgres" remove "$dir/b"
[[ ! -e $place && ! -e $dir/b/place ]] || fail "something is left of it"
expect "the other one" 7 "$(sql "$server" 'SELECT x FROM t')"

server=$("$postgres" start "$dir/c" --memory)
place=$(< "$dir/c/place")
[[ ! -w /dev/shm || $place == /dev/shm/* ]] || fail "$place is not in memory"
expect "its settings" on "$(sql "$server" 'SHOW fsync')"
"$postgres" remove "$dir/c"
[[ ! -e $place ]] || fail "something is left of it in memory"

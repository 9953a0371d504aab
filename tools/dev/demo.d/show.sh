# shellcheck shell=bash
# What a demo shows and how it ends. Sourced.

title() {
  printf '\n== %s\n' "$1"
}

# Shows a command, then runs it.
run() {
  printf '$ %s\n' "$*"
  "$@"
}

fail() {
  printf 'demo: error: %s\n' "$1" >&2
  exit 1
}

head_of() {  # file lines
  sed -n "1,$2p" "$1" | cut -c1-150
  printf '  ... (%s lines)\n' "$(wc -l < "$1")"
}

probe() {
  kafka-probe "$KAFKA_BOOTSTRAP_SERVERS" "$@"
}

# True when a group has committed all that a topic holds.
all_read() {  # group topic
  local end
  end=$(probe topic "$2" | python3 -c 'import json, sys; print(sum(p["end"] for p in json.load(sys.stdin)["partitions"]))')
  [[ $(read_so_far "$1") == "$end" ]]
}

await_all_read() {  # group topic
  local deadline=$((SECONDS + 60))
  until all_read "$@"; do
    (( SECONDS < deadline )) || fail "the runner did not read everything within 60 s"
    sleep 0.1
  done
}

# Committed offsets of a group, all partitions together.
read_so_far() {  # group
  probe group "$1" | python3 -c 'import json, sys; print(sum(o["offset"] for o in json.load(sys.stdin)["offsets"]))'
}

# The id of the operation that is open, from what `st-resume --status` wrote.
open_operation() {  # status document
  sed -n 's/^operation_id: "\(.*\)"$/\1/p' "$1" | head -n 1
}

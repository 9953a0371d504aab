#!/usr/bin/env bash
# A real broker through kafka and kafka-probe: records survive a stop and a kill, and nobody else's broker is touched.
set -euo pipefail

kafka=$PWD/tools/dev/kafka
probe=$PWD/tools/dev/kafka-probe/kafka-probe
dir=$(mktemp -d "$TEST_TMPDIR/kafka.XXXXXX")
trap '"$kafka" kill "$dir/a"' EXIT

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

expect() {  # what wanted got
  [[ $2 == "$3" ]] || fail "$1: wanted '$2', got '$3'"
}

broker=$("$kafka" start "$dir/a" --config message.max.bytes=200000)
"$probe" "$broker" create t --partitions 2 --config retention.ms=-1
printf 'k1=v1\nv2\nnil=v3\nk4=nil\n' |
  "$probe" "$broker" produce t --key-separator = --null nil --partition 1 --timestamp 1790000000000 --header h=x

wanted='{"partition":1,"offset":0,"timestamp":1790000000000,"key":"azE=","value":"djE=","headers":[{"key":"h","value":"eA=="}]}
{"partition":1,"offset":1,"timestamp":1790000000000,"key":null,"value":"djI=","headers":[{"key":"h","value":"eA=="}]}
{"partition":1,"offset":2,"timestamp":1790000000000,"key":null,"value":"djM=","headers":[{"key":"h","value":"eA=="}]}
{"partition":1,"offset":3,"timestamp":1790000000000,"key":"azQ=","value":null,"headers":[{"key":"h","value":"eA=="}]}'
expect "records" "$wanted" "$("$probe" "$broker" consume t --exit-at-end --format json --committed)"
expect "values" $'v1\nv2' "$("$probe" "$broker" consume t --count 2 --partition 1)"

topic=$("$probe" "$broker" topic t)
[[ $topic == *'"partitions":[{"partition":0,"begin":0,"end":0},{"partition":1,"begin":0,"end":4}]'* ]] || fail "$topic"
[[ $topic == *'"configs":{"retention.ms":"-1"}'* ]] || fail "$topic"

printf 'v\n%0300000d\n' 0 | "$probe" "$broker" produce t --partition 0 && fail "a record over the limit was taken"
"$probe" "$broker" topic absent && fail "an absent topic was found"
"$probe" "$broker" consume t --count 99 --timeout 1 > "$dir/out" && fail "99 records of 5"

topic=$("$probe" "$broker" topic t)
"$kafka" start "$dir/a" && fail "a second broker in one folder"
"$kafka" start "$dir/b" --port "${broker##*:}" && fail "two brokers on one port"
expect "the first broker" "$topic" "$("$probe" "$broker" topic t)"

expect "address after a restart" "$broker" "$("$kafka" restart "$dir/a")"
expect "topic after a restart" "$topic" "$("$probe" "$broker" topic t)"
"$kafka" kill "$dir/a"
"$probe" "$broker" topics --timeout 1 && fail "a killed broker answers"
expect "address after a kill" "$broker" "$("$kafka" start "$dir/a")"
expect "topic after a kill" "$topic" "$("$probe" "$broker" topic t)"

# The number in the file may by now be that of another process.
"$kafka" stop "$dir/a"
sleep 600 &
bystander=$!
printf '%s 1\n' "$bystander" > "$dir/a/pid"
"$kafka" kill "$dir/a"
kill "$bystander" || fail "a process that is no broker was killed"

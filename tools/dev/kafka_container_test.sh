#!/usr/bin/env bash
# Brokers in containers: reached from this machine and from their network, and gone without a trace.
set -euo pipefail

dev=$PWD/tools/dev
probe=$dev/kafka-probe/kafka-probe
dir=$(mktemp -d /tmp/st-kafka-test.XXXXXX)
unset DOCKER_HOST

cleanup() {
  "$dev/docker" stop "$dir/engine"
  rm -rf "$dir"
}
trap cleanup EXIT

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

expect() {  # what wanted got
  [[ $2 == "$3" ]] || fail "$1: wanted '$2', got '$3'"
}

DOCKER_HOST=$("$dev/docker" start "$dir/engine" --while $$)
export DOCKER_HOST
docker() { /usr/bin/docker "$@"; }

docker network create net > "$dir/out"
before=$(docker ps --all --quiet; docker volume ls --quiet; docker image ls --quiet)
one=$("$dev/kafka-container" start one --network net --config message.max.bytes=200000)
two=$("$dev/kafka-container" start two --network net)

"$probe" "$one" create t --partitions 1
echo "k=v" | "$probe" "$one" produce t --key-separator =
expect "a record" v "$("$probe" "$one" consume t --exit-at-end)"
printf '%0300000d\n' 0 | "$probe" "$one" produce t && fail "a setting is not heard"
"$probe" "$two" topic t && fail "one broker for two names"

# As another container sees it: by name, and told to go on by name.
image=$(docker inspect --format '{{.Image}}' one)
inside=$(docker run --rm --network net --entrypoint /opt/java/bin/java "$image" -cp '/opt/kafka/*' \
  org.apache.kafka.tools.GetOffsetShell --bootstrap-server one:19092 --topic t 2> "$dir/errors" ||
  cat "$dir/errors")
expect "the offset that another container sees" t:0:1 "$inside"

docker restart --time 20 one > "$dir/out"
deadline=$((SECONDS + 60))
until [[ $("$probe" "$one" consume t --exit-at-end 2> "$dir/errors") == v ]]; do
  (( SECONDS < deadline )) || fail "no record 60 s after a restart: $(cat "$dir/errors")"
done

"$dev/kafka-container" start bad --network net --config process.roles=nothing 2> "$dir/errors" && fail "a bad setting"
grep -q 'the broker ended: .*process.roles' "$dir/errors" || fail "$(cat "$dir/errors")"
"$dev/kafka-container" start one --network net 2> "$dir/errors" && fail "two of one name"
expect "the broker of that name" v "$("$probe" "$one" consume t --exit-at-end)"

"$dev/kafka-container" stop one
"$dev/kafka-container" stop two
expect "what is left" "$before" "$(docker ps --all --quiet; docker volume ls --quiet; docker image ls --quiet)"

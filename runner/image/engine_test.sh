#!/usr/bin/env bash
# The archive in a real engine: it loads, has the id that is told, and its runner works for any user in a container
# that may do nothing else.
set -euo pipefail

docker=$PWD/tools/dev/docker
archive=$PWD/runner/image/st-runner-image.tar
id=$(cat runner/image/st-runner-image.id)
folder=$(mktemp -d /tmp/st-image-test.XXXXXX)
name=${folder##*.}

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

# What this test made, and no more: the engine may be someone else's.
cleanup() {
  engine rm --force --volumes "st-image-test-$name" > /dev/null 2>&1 || true
  engine volume rm "st-image-test-$name" > /dev/null 2>&1 || true
  [[ ${was_there:-} ]] || engine image rm "$id" > /dev/null 2>&1 || true
  "$docker" stop "$folder/engine"
  rm -rf "$folder"
}

engine() {
  DOCKER_HOST=$host /usr/bin/docker "$@"
}

host=$("$docker" start "$folder/engine" --while $$)
trap cleanup EXIT

was_there=$(engine image inspect --format '{{.Id}}' "$id" 2> /dev/null || true)
engine load --input "$archive" > "$folder/loaded"
[[ $(engine image inspect --format '{{.Id}}' "$id") == "$id" ]] || fail "the image has another id: $(cat "$folder/loaded")"
engine load --input "$archive" > "$folder/loaded" || fail "it does not load twice"

# As hard as a container can be, for a user whom no file in it knows.
contained() {  # arguments of `docker run`
  engine run --name "st-image-test-$name" --read-only --cap-drop ALL --security-opt no-new-privileges --network none \
    --user 12345:12345 --memory 64m --pids-limit 64 "$@"
}

version=$(contained --rm "$id" --version)
label=$(engine image inspect --format '{{index .Config.Labels "st.runner.version"}}' "$id")
[[ $version == "st-runner $label" ]] || fail "$version is not version $label"
for program in /bin/sh sh /usr/bin/env; do
  contained --rm --entrypoint "$program" "$id" -c true 2> "$folder/answer" && fail "there is $program"
  grep -q 'no such file or directory\|executable file not found' "$folder/answer" || fail "$(cat "$folder/answer")"
done

# A run that looks for a broker where there is none: it has read its inputs and the authorities, keeps its state in a
# fresh volume, and ends when it is told to.
printf 'bootstrap.servers=127.0.0.1:9\nsecurity.protocol=SSL\nsocket.timeout.ms=1000\n' > "$folder/client.properties"
cat > "$folder/plan.textproto" <<'END'
# proto-file: schemas/st/v1/record_plan.proto
# proto-message: st.v1.RecordPlan

version: 1
input_topic: "in"
output_topic: "out"
extra_members: ignore
columns {
  name: "a"
  member: "a"
  type: ANY
}
projections {
  column: "a"
  name: "a"
}
END
digest=$(sha256sum < "$folder/plan.textproto")
printf '# end sha256:%s\n' "${digest%% *}" >> "$folder/plan.textproto"
chmod 644 "$folder"/{plan.textproto,client.properties}
contained --detach --env ST_GENERATION_ID=g-00000000-0000-4000-8000-000000000000-1 \
  --mount "type=volume,source=st-image-test-$name,target=/var/lib/st" \
  --mount "type=bind,source=$folder/plan.textproto,target=/run/st/plan.textproto,readonly" \
  --mount "type=bind,source=$folder/client.properties,target=/run/st/client.properties,readonly" \
  "$id" --plan=/run/st/plan.textproto --client-properties=/run/st/client.properties --application-id=st.test.dev.m \
  --state-dir=/var/lib/st --expected-cluster-id=none --expected-input-topic-id=none --expected-output-topic-id=none \
  --initialized-partitions=1 > "$folder/container"

# True when the runner's status has come to a state.
is_in() {  # state
  engine cp "st-image-test-$name:/var/lib/st/status.textproto" "$folder" 2> /dev/null &&
    grep -q "^state: $1" "$folder/status.textproto"
}
deadline=$((SECONDS + 60))
until is_in STARTING; do
  (( SECONDS < deadline )) || fail "it has not started within 60 s: $(engine logs "st-image-test-$name" 2>&1)"
  sleep 0.1
done
engine stop --time 30 "st-image-test-$name" > "$folder/container"
code=$(engine inspect --format '{{.State.ExitCode}}' "st-image-test-$name")
[[ $code == 0 ]] || fail "exit $code after SIGTERM: $(engine logs "st-image-test-$name" 2>&1)"
is_in CLOSED || fail "$(cat "$folder/status.textproto")"

#!/usr/bin/env bash
# Private engines: two at once do not meet, and nothing of one is left, however it ended.
set -euo pipefail

docker=$PWD/tools/dev/docker
# Not below TEST_TMPDIR, whose path is too long for sockets.
dir=$(mktemp -d /tmp/st-docker-test.XXXXXX)
unset DOCKER_HOST
PATH=$PATH:/usr/sbin

bystander=''
cleanup() {
  [[ ! $bystander ]] || kill "$bystander" 2> /dev/null || true
  for engine in "$dir"/*/; do "$docker" stop "$engine"; done
  rm -rf "$dir"
}
trap cleanup EXIT

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  exit 1
}

await() {  # what command...
  local deadline=$((SECONDS + 30)) what=$1
  shift
  until "$@"; do
    (( SECONDS < deadline )) || fail "not within 30 s: $what"
    sleep 0.05
  done
}

engine() {  # name arguments...
  DOCKER_HOST=unix://$dir/$1/docker.sock /usr/bin/docker "${@:2}"
}

# What an engine may leave on the machine: names in folders, rules, mounts.
machine() {
  ls -A /etc/docker /opt /run /run/docker /run/containerd /var/lib/docker 2>&1
  iptables-save | grep -v '^#'
  grep -c "$dir" /proc/self/mounts || true
}

# What an engine has on the machine, by numbers: an engine of somebody else may take its names right after it.
traces() {  # block
  cat "/sys/class/net/stdocker$1/ifindex" 2> /dev/null || true
  find /sys/fs/cgroup -type d -name "st-docker-$1" -printf '%D:%i\n'
}

expect_nothing_left() {  # name block traces
  [[ $3 ]] || fail "$1 had neither an interface nor a control group"
  [[ ! -e $dir/$1 ]] || fail "the folder of $1 is left"
  [[ ! $(comm -12 <(sort <<< "$3") <(traces "$2" | sort)) ]] || fail "the interface or control groups of $1 are left"
  [[ ! $(pgrep -f "$dir/$1/") ]] || fail "processes of $1 are left: $(pgrep -af "$dir/$1/")"
}

image() {
  local programs=(/bin/sleep)
  mapfile -t -O 1 programs < <(ldd /bin/sleep | grep -o '/[^ ]*')
  tar -chP "${programs[@]}"
}

before=$(machine)
[[ $("$docker" start "$dir/a") == "unix://$dir/a/docker.sock" ]] || fail "an engine"
"$docker" start "$dir/b" > "$dir/address"
block_a=$(cat "$dir/a/block") block_b=$(cat "$dir/b/block")
[[ $(engine a info --format '{{.ID}}') != $(engine b info --format '{{.ID}}') ]] || fail "one identity for two engines"

for name in a b; do
  image | engine "$name" import - sleep > "$dir/image"
  engine "$name" network create net > "$dir/network"
  engine "$name" run --detach --name one --network net --memory 32m sleep /bin/sleep 600 > "$dir/container"
  [[ $(engine "$name" ps --format '{{.Names}}') == one ]] || fail "the containers of $name"
  # Who is reached and listens to nothing refuses; who is not reached lets one wait.
  address=$(engine "$name" inspect --format '{{.NetworkSettings.Networks.net.IPAddress}}' one)
  answer=$(LC_ALL=C timeout 5 bash -c "exec 3<> /dev/tcp/$address/9" 2>&1) && fail "port 9 of $address is open"
  [[ $answer == *"Connection refused"* ]] || fail "$address is not reached: $answer"
done

traces_a=$(traces "$block_a") traces_b=$(traces "$block_b")
pid=$(engine a inspect --format '{{.State.Pid}}' one)
[[ $("$docker" exec "$dir/a" cat "/proc/$pid/cmdline" | tr '\0' ' ') == "/bin/sleep 600 " ]] || fail "exec is elsewhere"
"$docker" start "$dir/a" 2> "$dir/answer" && fail "two engines in one folder"
grep -q 'runs already' "$dir/answer" || fail "$(cat "$dir/answer")"

# One that is there already is used and left alone.
there=unix://$dir/b/docker.sock
[[ $(DOCKER_HOST=$there "$docker" start "$dir/c") == "$there" ]] || fail "DOCKER_HOST is not used"
DOCKER_HOST=$there "$docker" stop "$dir/c"
DOCKER_HOST=unix://$dir/none "$docker" start "$dir/c" 2> "$dir/answer" && fail "an engine that is not there"
grep -q 'no engine answers' "$dir/answer" || fail "$(cat "$dir/answer")"

# Down and up again: what is stored is there, at its addresses, and nothing runs.
id_b=$(engine b info --format '{{.ID}}') one_b=$(engine b inspect --format '{{.Id}}' one)
"$docker" restart "$dir/b"
[[ $(cat "$dir/b/block") == "$block_b" ]] || fail "a restarted engine has other addresses"
[[ $(engine b info --format '{{.ID}}') == "$id_b" ]] || fail "a restarted engine is another one"
[[ $(engine b ps --all --no-trunc --format '{{.ID}} {{.State}}') == "$one_b exited" ]] || fail "a container that went down"
engine b start one > "$dir/container"
[[ $(engine b inspect --format '{{.NetworkSettings.Networks.net.IPAddress}}' one) == "$address" ]] || fail "its address"
answer=$(LC_ALL=C timeout 5 bash -c "exec 3<> /dev/tcp/$address/9" 2>&1) && fail "port 9 of $address is open"
[[ $answer == *"Connection refused"* ]] || fail "$address is not reached after a restart: $answer"
traces_b=$(traces "$block_b")
"$docker" restart "$dir/none" 2> "$dir/answer" && fail "a restart of what does not run"
grep -q 'no engine of' "$dir/answer" || fail "$(cat "$dir/answer")"

# Killed, with a container that runs.
pkill -KILL -f "^dockerd --host unix://$dir/a/"
"$docker" stop "$dir/a"
expect_nothing_left a "$block_a" "$traces_a"
[[ $(engine b ps --format '{{.Names}}') == one ]] || fail "the end of one engine was felt by the other"

# The number in the file may by now be that of another process.
mkdir "$dir/a"
sleep 600 &
bystander=$!
printf '%s 1\n' "$bystander" > "$dir/a/pid"
"$docker" stop "$dir/a"
kill -0 "$bystander" || fail "a process that is no engine was killed"

# Who started it dies without a word.
"$docker" start "$dir/d" --while "$bystander" > "$dir/address"
block_d=$(cat "$dir/d/block")
traces_d=$(traces "$block_d")
kill "$bystander"
gone() { [[ ! -e $dir/d ]]; }
await "an engine without its owner ends" gone
expect_nothing_left d "$block_d" "$traces_d"

# One that cannot start says why.
mkdir "$dir/bin"
printf '#!/bin/sh\necho "no luck today"\nexit 1\n' > "$dir/bin/dockerd"
chmod +x "$dir/bin/dockerd"
PATH=$dir/bin:$PATH "$docker" start "$dir/e" 2> "$dir/answer" && fail "an engine that cannot start"
grep -q 'the engine ended: no luck today' "$dir/answer" || fail "$(cat "$dir/answer")"
[[ ! -e $dir/e ]] || fail "the folder of one that did not start"

"$docker" stop "$dir/b"
expect_nothing_left b "$block_b" "$traces_b"
[[ $(machine) == "$before" ]] || fail "the machine differs: $(diff <(echo "$before") <(machine))"

# shellcheck shell=bash
# Journey B in containers: nothing exists; one plan makes the input topic, the model's output and the runner's container;
# records go through; planning again says "no changes"; another filter goes on at the same offsets; a reviewed stop.
# Sourced by tools/dev/demo --docker, which has installed the package to $work/prefix.

engine=${root:?}/tools/dev/docker
broker=$root/tools/dev/kafka-container
group=st.orders.docker.large_orders

undo() {
  [[ ! -d ${work:?}/engine ]] || "$engine" stop "$work/engine"
}

docker() { /usr/bin/docker "$@"; }

# 2,000 orders of 20 customers: `key=value` a line.
write_orders() {  # file, seed
  python3 -c 'import json, random, sys
random.seed(int(sys.argv[1]))
for i in range(2000):
    order = {"id": "o%d" % i, "amount": random.choice([None, random.randrange(200)]), "paid": random.random() < 0.7}
    print("c%d=%s" % (i % 20, json.dumps(order, separators=(",", ":"))))' "$2" > "$1"
}

# The same rows, computed without any code of ours: the paid ones of at least so many units.
expected() {  # file, least amount
  python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    key, value = line.split("=", 1)
    r = json.loads(value)
    if r["amount"] is not None and r["amount"] >= int(sys.argv[2]) and r["paid"]:
        print(json.dumps({"order_id": r["id"], "amount": r["amount"]}, separators=(",", ":")))' "$1" "$2"
}

# Against expected.jsonl, which grows with what is fed.
check_output() {
  await_all_read "$group" orders.v1
  sort -o expected.jsonl expected.jsonl
  probe consume orders.large.v1 --committed --exit-at-end | sort > got.jsonl
  cmp expected.jsonl got.jsonl || fail "the records differ from an independent computation"
  echo "$(wc -l < got.jsonl) records, equal to an independent computation"
}

# Killed after the old container was stopped and removed, before there is a new one.
interrupted_apply() {
  ! ST_CRASH_AT=after:checkpoint:3 run make -C shop apply || fail "st-apply was not killed half-way"
  echo "-- killed. Where does it stand?"
  make -C shop status > status.textproto
  echo "-- the same operation is carried on:"
  run make -C shop resume OPERATION="$(open_operation status.textproto)"
}

title "A Docker engine of its own, the runner's image from the package, a network, and a broker in it"
DOCKER_HOST=$("$engine" start "$work/engine" --while $$)
export DOCKER_HOST
run docker load --quiet --input "$work/prefix/share/st/st-runner-image.tar"
ST_IMAGE=$(cat "$work/prefix/share/st/st-runner-image.id")
ST_NETWORK=st-demo
docker network create "$ST_NETWORK" > network.id
KAFKA_BOOTSTRAP_SERVERS=$("$broker" start st-demo-broker --network "$ST_NETWORK")
KAFKA_BOOTSTRAP_SERVERS_INTERNAL=st-demo-broker:19092
export ST_ENV=docker ST_IMAGE ST_NETWORK KAFKA_BOOTSTRAP_SERVERS KAFKA_BOOTSTRAP_SERVERS_INTERNAL
echo "broker at $KAFKA_BOOTSTRAP_SERVERS from here, at $KAFKA_BOOTSTRAP_SERVERS_INTERNAL from containers"

title "Compile, test, observe, plan: nothing exists yet"
cp -r "$work/prefix/share/st/examples/orders" shop
run make -C shop check
run make -C shop plan

title "Apply exactly that: two topics, and one container"
run make -C shop apply
docker ps --format '{{.Names}}: {{.Status}}'
container=$(docker ps --quiet --filter label=st.application=st.orders.docker.large_orders)
docker inspect --format 'read-only root {{.HostConfig.ReadonlyRootfs}}, capabilities dropped {{.HostConfig.CapDrop}}, user {{.Config.User}}, restart {{.HostConfig.RestartPolicy.Name}}, memory {{.HostConfig.Memory}}' "$container"

title "2,000 orders in, the large and paid ones out, exactly once"
write_orders orders.txt 4
probe produce orders.v1 --key-separator = < orders.txt
expected orders.txt 100 > expected.jsonl
check_output

title "Plan again: no changes"
st-compile shop --env docker | st-observe | st-plan --detailed-exitcode > again.textproto
echo "exit 0"

title "Another filter: only orders of at least 150 units, from here on"
sed -i 's/amount >= 100/amount >= 150/' shop/models/orders.yml
sed -i 's/amount: 100/amount: 150/g' shop/tests/large_orders.yml
run make -C shop plan
if [[ ${interrupt:-} ]]; then interrupted_apply; else run make -C shop apply; fi
docker ps --format '{{.Names}}: {{.Status}}'
closed_at=$(read_so_far "$group")
write_orders more.txt 5
probe produce orders.v1 --key-separator = < more.txt
expected more.txt 150 >> expected.jsonl
check_output
echo "the same application $group: it went on at offset $closed_at and is at $(read_so_far "$group")"
st-compile shop --env docker | st-observe | st-plan --detailed-exitcode > again.textproto
echo "exit 0: planned again, nothing changes"

title "A reviewed stop: the declaration says running: false"
sed -i 's/^    executor: runner$/&\n    running: false/' shop/models/orders.yml
run make -C shop plan
run make -C shop apply
docker ps --all --format '{{.Names}}: {{.Status}}' --filter label=st.application

title "Stop everything that was started"
"$broker" stop st-demo-broker

# shellcheck shell=bash
# Journey A on real input, on this machine's processes: a topic that holds 5,000 flights already, a model that keeps the late
# ones, a second plan without changes, another filter on the same offsets, a refused change, a reviewed stop and start.
# Sourced by tools/dev/demo.

kafka=${root:?}/tools/dev/kafka
share=${work:?}/prefix/share/st/examples
flights=$share/flights-5k.jsonl
group=st.flights.default.late_flights
runs=''

# However the demo ends, nothing that it started goes on: the runner by its declaration, the broker by its folder.
undo() {
  if [[ -n $runs ]]; then
    if ! { declare_running false && deploy "$work/cleanup.textproto" > "$work/cleanup.log" 2>&1; }; then
      cat "$work/cleanup.log" >&2
    fi
  fi
  [[ ! -d $work/kafka ]] || "$kafka" stop "$work/kafka"
}

declare_running() {  # true|false
  sed -i '/^    running:/d; s/^    executor: runner$/&\n    running: '"$1"'/' shop/models/late_flights.yml
}

plan() {  # file
  st-compile shop | st-observe | st-plan --out "$1"
}

deploy() {  # plan file, made and carried out
  plan "$1" && st-compile shop | st-apply --plan "$1" > "$1.report"
}

# The output, one value a line, in order.
output() {
  probe consume flights.late.v1 --committed --exit-at-end
}

# The same rows, computed without any code of ours: those of a file that were so many minutes late.
expected() {  # input file, least delay
  python3 -c 'import json, sys
for line in open(sys.argv[1], encoding="utf-8"):
    r = json.loads(line)
    if r["delay"] >= int(sys.argv[2]):
        print(json.dumps({"origin": r["origin"], "destination": r["destination"], "departed": r["date"],
                          "delay_minutes": r["delay"]}, separators=(",", ":"), ensure_ascii=False))' "$1" "$2"
}

# Against expected.jsonl, which grows with what is fed.
check_output() {  # wanted number
  output > got.jsonl
  [[ $(wc -l < got.jsonl) == "$1" ]] || fail "$(wc -l < got.jsonl) records came out, not $1"
  diff expected.jsonl got.jsonl > /dev/null || fail "the records differ from an independent computation"
  echo "$1 records, equal to an independent computation"
}

# Killed after the old runner was closed and taken away, before there is a new one.
interrupted_apply() {  # plan file
  local code=0
  echo "$ ST_CRASH_AT=after:checkpoint:3 st-apply --plan $1"
  { st-compile shop | ST_CRASH_AT=after:checkpoint:3 st-apply --plan "$1" > "$1.report"; } || code=$?
  [[ $code == 137 ]] || fail "st-apply was not killed half-way"
  echo "-- killed. Where does it stand?"
  echo "$ st-resume --status"
  st-compile shop | st-resume --status > status.textproto
  echo "-- the same operation is carried on:"
  echo "$ st-resume --plan $1 --operation $(open_operation status.textproto)"
  st-compile shop | st-resume --plan "$1" --operation "$(open_operation status.textproto)" > "$1.report"
}

title "A real Kafka broker, and a topic that holds records already"
KAFKA_BOOTSTRAP_SERVERS=$("$kafka" start "$work/kafka")
export KAFKA_BOOTSTRAP_SERVERS
echo "broker at $KAFKA_BOOTSTRAP_SERVERS"
probe create flights.raw.v1 --partitions 1
probe produce flights.raw.v1 --file "$flights"
echo "$(wc -l < "$flights") flights are in flights.raw.v1"

title "Import it: external, with provenance, and no invented columns"
cp -r "$share/flights" shop
rm -r shop/sources
run st-import --bootstrap-servers "$KAFKA_BOOTSTRAP_SERVERS" --into shop > import.textproto
cat shop/sources/flights_raw_v1.yml
echo "-- importing again changes no byte:"
before=$(sha256sum shop/sources/*)
st-import --bootstrap-servers "$KAFKA_BOOTSTRAP_SERVERS" --into shop > import.textproto
[[ $(sha256sum shop/sources/*) == "$before" ]] || fail "the second import changed a declaration"
echo "-- the user gives it its name and adds the columns that it knows of:"
sed -i 's/name: flights_raw_v1/name: flights_raw/' shop/sources/flights_raw_v1.yml
sed -n '/^    columns:/,$p' "$share/flights/sources/flights_raw.yml" | tee -a shop/sources/flights_raw_v1.yml

title "Compile, observe, plan: each document in short"
run st-test shop > tests.textproto
st-compile shop > topology.textproto
head_of topology.textproto 8
st-observe < topology.textproto > observed.textproto
head_of observed.textproto 4
st-plan --out plan.textproto < observed.textproto
head_of plan.textproto 4

title "Apply exactly that"
runs=1
st-compile shop | st-apply --plan plan.textproto > report.textproto
head_of report.textproto 12

title "5,000 records in, the late ones out, exactly once"
await_all_read "$group" flights.raw.v1
expected "$flights" 60 > expected.jsonl
check_output 188
output | sed -n 1,3p

title "Plan again: no changes; apply that: nothing is done"
st-compile shop | st-observe | st-plan --detailed-exitcode --out again.textproto
st-compile shop | st-apply --plan again.textproto > report.textproto
echo "exit 0 from both"

title "Another filter: only flights that were two hours late, from here on"
sed -i 's/delay >= 60/delay >= 120/' shop/models/late_flights.yml
plan change.textproto
if [[ ${interrupt:-} ]]; then
  interrupted_apply change.textproto
else
  st-compile shop | st-apply --plan change.textproto > change.textproto.report
fi
closed_at=$(read_so_far "$group")
probe produce flights.raw.v1 --file "$flights"
await_all_read "$group" flights.raw.v1
expected "$flights" 120 > new.jsonl
cat new.jsonl >> expected.jsonl
check_output $((188 + $(wc -l < new.jsonl)))
echo "the same application $group: it went on at offset $closed_at and is at $(read_so_far "$group")"
st-compile shop | st-observe | st-plan --detailed-exitcode --out still.textproto
echo "exit 0: planned again, nothing changes"

title "A refused change: an application needs a column that the model would no longer produce"
cp shop/models/late_flights.yml kept.yml
sed -i 's/, delay AS delay_minutes//' shop/models/late_flights.yml
code=0
st-compile shop > refused.textproto || code=$?
[[ $code == 1 && ! -s refused.textproto ]] || fail "the broken contract was not refused"
echo "exit 1, nothing touched"
mv kept.yml shop/models/late_flights.yml

title "A reviewed stop: the declaration says running: false"
declare_running false
deploy stop.textproto
head -n 100 "$flights" > more.jsonl
probe produce flights.raw.v1 --file more.jsonl
check_output "$(wc -l < expected.jsonl)"
echo "100 more flights wait in the input"

title "A reviewed start: it goes on where it stopped, without a record twice"
declare_running true
deploy start.textproto
await_all_read "$group" flights.raw.v1
expected more.jsonl 120 >> expected.jsonl
check_output "$(wc -l < expected.jsonl)"

title "Stop everything that was started"
declare_running false
deploy last.textproto
runs=''

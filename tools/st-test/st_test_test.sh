#!/usr/bin/env bash
# st-test as a shell sees it: documents, answers and exit codes.
set -u
tool="$PWD/tools/st-test/st-test"
cd "$TEST_TMPDIR" || exit 1
failures=0

# expect WHAT GOT WANTED
expect() {
  if [[ "$2" != "$3" ]]; then
    printf 'FAIL: %s\n  wanted: %s\n  got:    %s\n' "$1" "$3" "$2"
    failures=$((failures + 1))
  fi
}

# expect_match WHAT GOT PATTERN
expect_match() {
  if [[ ! "$2" =~ $3 ]]; then
    printf 'FAIL: %s\n  wanted a match of: %s\n  got: %s\n' "$1" "$3" "$2"
    failures=$((failures + 1))
  fi
}

mkdir -p shop/sources shop/models shop/tests
cat > shop/stream_project.yml <<'YML'
project: {name: shop, version: "1.0.0"}
runtime:
  kafka: {bootstrap_servers: "localhost:9092"}
  runner: {host: process, initial_offset: earliest}
YML
cat > shop/sources/orders.yml <<'YML'
sources:
  - name: orders_raw
    topic: orders.raw.v1
    columns:
      - {name: id, type: STRING, required: true}
      - {name: amount, type: BIGINT}
      - {name: paid, type: BOOLEAN, required: true}
      - {name: note, type: STRING}
YML
# Predicates in an order of their own, with repeats: the plan has them in its own order.
cat > shop/models/orders.yml <<'YML'
models:
  - name: large_orders
    executor: runner
    sql: |
      SELECT id AS order_id, amount
      FROM {{ source("orders_raw") }}
      WHERE paid AND amount != 7 AND 100 <= amount AND note <> 'x' AND note <> '' AND amount <> -5
        AND amount >= 100
    topic: {name: orders.large.v1, partitions: 1}
YML
cat > shop/tests/orders.yml <<'YML'
tests:
  - name: small_orders_are_dropped
    model: large_orders
    given:
      - value: {id: a, amount: 99, paid: true, note: n}
      - {key: k1, value: {id: b, amount: 100, paid: true, note: n}}
    expect: [{key: k1, value: {order_id: b, amount: 100}}]
YML

report=$("$tool" shop 2> errors)
expect "passing tests exit 0" $? 0
expect "errors of passing tests" "$(cat errors)" "1 tests pass, 0 fail"
expect_match "the report is a document" "$report" '# proto-message: st.v1.TestReport.*passed: true.*# end sha256:[0-9a-f]{64}'

sed -i 's/amount: 100}}]/amount: 101}}]/' shop/tests/orders.yml
report=$("$tool" shop 2> errors)
expect "a failing test exits 1" $? 1
expect_match "the report tells the difference" "$report" 'difference: "- .*difference: "\+ '
expect_match "the difference is shown" "$(cat errors)" \
  '- "k1" \{"order_id":"b","amount":101\}.*\+ "k1" \{"order_id":"b","amount":100\}.*orders.yml:2:.*TEST_FAILED'
"$tool" shop --diagnostics=github > /dev/null 2> errors
expect "a failing test exits 1 for GitHub" $? 1
expect_match "GitHub's form" "$(head -1 errors)" '^::error file=.*orders.yml,line=2'

printf '%s\n' '{"id":"a","amount":100,"paid":true,"note":"n"}' '' '~' '{"id":1}' > values
wanted='{"line":1,"outcome":"pass","value":"{\"order_id\":\"a\",\"amount\":100}"}
{"line":2,"outcome":"poison","fault":"EMPTY_VALUE"}
{"line":3,"outcome":"tombstone"}
{"line":4,"outcome":"poison","fault":"WRONG_TYPE","column":"id"}'
got=$("$tool" shop --model large_orders --records values 2> errors)
expect "poison is an answer: exit 0" $? 0
expect "answers" "$got" "$wanted"
expect "summary" "$(cat errors)" "1 pass, 0 filtered, 1 tombstones, 2 poison"
got=$("$tool" shop --model large_orders --records - --quiet < values 2> errors)
expect "answers by a pipe" "$got" "$wanted"
expect "quiet" "$(cat errors)" ""
got=$(head -1 values | head -c -1 | base64 -w0 | "$tool" shop --model large_orders --records - --encoding base64 2> errors)
expect "base64" "$got" "$(head -1 <<< "$wanted")"

# refused CODE PATTERN ARGUMENTS...
refused() {
  local code=$1 pattern=$2
  shift 2
  local out
  out=$("$tool" "$@" 2> errors < /dev/null)
  expect "exit code of: $*" $? "$code"
  expect "output of: $*" "$out" ""
  expect_match "errors of: $*" "$(cat errors)" "$pattern"
}
refused 2 'one project folder' 
refused 2 'one project folder' shop shop
refused 2 'go together' shop --model large_orders
refused 2 'go together' shop --records values
refused 2 'lines or base64' shop --model large_orders --records values --encoding hex
refused 2 'is for --records' shop --encoding base64
refused 1 'UNKNOWN_MODEL.*did you mean .large_orders.' shop --model large_order --records values
refused 1 '^missing: error: .*No such file.*CANNOT_READ.*hint: name a file' shop --model large_orders --records missing
refused 1 '^shop: error: .*name a file, not a folder.*CANNOT_READ' shop --model large_orders --records shop
# The first page of a process is never mapped: reading it gives EIO.
refused 3 '^/proc/self/mem:1: error: .*Input/output error.*READ_FAILED' shop --model large_orders --records /proc/self/mem
refused 1 'no model with SQL is named .*hint: the project has large_orders' shop --model zzz --records values
refused 1 'values:1: error: this line is not base64' shop --model large_orders --records values --encoding base64
refused 1 'error' nowhere
sed -i 's/paid AND/payed AND/' shop/models/orders.yml
refused 1 'orders.yml:.*payed.*paid' shop
refused 1 'orders.yml:.*payed.*paid' shop --model large_orders --records values

# Constant memory: a file of 200 MB in less than 150 MB (that much only with a sanitizer).
sed -i 's/payed AND/paid AND/' shop/models/orders.yml
line='{"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","amount":100,"paid":true,"note":"n"}'
mkfifo feed
"$tool" shop --model large_orders --records feed --quiet > answers &
pid=$!
exec 9> feed
yes "$line" | head -c 200000000 >&9
peak_kib=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$pid/status")
exec 9>&-
wait "$pid"
expect "a long file is answered" $? 0
expect "each line of it" "$(wc -l < answers)" $(((200000000 + ${#line}) / (${#line} + 1)))
[[ -n "$peak_kib" && "$peak_kib" -lt 150000 ]]
expect "memory for it, $peak_kib KiB, is below the limit" $? 0
rm answers

[[ $failures -eq 0 ]] && echo "all as expected"
exit $((failures > 0))

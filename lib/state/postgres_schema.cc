#include "lib/state/postgres_schema.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "lib/base/clock.h"
#include "lib/base/id.h"

namespace st::state {
namespace {

constexpr int kVersion = 1;
constexpr size_t kMaxSchemaName = 63;

// Documented in docs/journal.md; $S is the schema. Statements end in a line of dashes. The triggers guard against
// faults of ours: a rule that only code keeps is soon lost.
constexpr char kTables[] = R"sql(
CREATE TABLE $S.store (
  only_one integer PRIMARY KEY CHECK (only_one = 1),
  version integer NOT NULL,
  store_id text NOT NULL,
  created_at_ms bigint NOT NULL
)
----
CREATE TABLE $S.address (
  address text PRIMARY KEY,
  revision bigint NOT NULL CHECK (revision >= 0),
  chain text NOT NULL,
  lock_epoch bigint NOT NULL CHECK (lock_epoch >= 1),
  lock_holder text NOT NULL,
  lock_since_ms bigint NOT NULL,
  serial bigint NOT NULL CHECK (serial >= 0),
  ownership bytea NOT NULL,
  operation_id text
)
----
CREATE TABLE $S.history (
  address text NOT NULL REFERENCES $S.address (address),
  sequence bigint NOT NULL,
  at_ms bigint NOT NULL,
  kind text NOT NULL CHECK (kind IN ('begin', 'checkpoint', 'authorization', 'complete')),
  operation_id text NOT NULL,
  payload bytea NOT NULL,
  serial bigint NOT NULL,
  ownership_sha256 text NOT NULL,
  chain text NOT NULL,
  PRIMARY KEY (address, sequence)
)
----
CREATE UNIQUE INDEX history_operation ON $S.history (operation_id) WHERE kind = 'begin'
----
CREATE FUNCTION $S.refuse() RETURNS trigger LANGUAGE plpgsql AS
$f$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $f$
----
CREATE FUNCTION $S.check_order() RETURNS trigger LANGUAGE plpgsql AS
$f$ BEGIN
  IF NEW.sequence <> 1 + (SELECT coalesce(max(h.sequence), 0) FROM $S.history h WHERE h.address = NEW.address) THEN
    RAISE EXCEPTION 'history has no gaps';
  END IF;
  RETURN NEW;
END $f$
----
CREATE TRIGGER history_grows BEFORE UPDATE OR DELETE ON $S.history
FOR EACH ROW EXECUTE FUNCTION $S.refuse('history only grows')
----
CREATE TRIGGER history_stays BEFORE TRUNCATE ON $S.history
FOR EACH STATEMENT EXECUTE FUNCTION $S.refuse('history only grows')
----
CREATE TRIGGER history_in_order BEFORE INSERT ON $S.history FOR EACH ROW EXECUTE FUNCTION $S.check_order()
----
CREATE TRIGGER address_grows BEFORE UPDATE ON $S.address FOR EACH ROW
WHEN (NEW.address <> OLD.address OR NEW.revision NOT IN (OLD.revision, OLD.revision + 1)
  OR NEW.serial NOT IN (OLD.serial, OLD.serial + 1) OR NEW.lock_epoch NOT IN (OLD.lock_epoch, OLD.lock_epoch + 1))
EXECUTE FUNCTION $S.refuse('revision, serial and lock epoch grow by one')
----
CREATE TRIGGER address_stays BEFORE DELETE ON $S.address
FOR EACH ROW EXECUTE FUNCTION $S.refuse('an address is never forgotten')
----
CREATE TRIGGER store_stays BEFORE UPDATE OR DELETE ON $S.store
FOR EACH ROW EXECUTE FUNCTION $S.refuse('a store keeps its id')
)sql";

// What kShape answers for these tables, in the order of bytes.
constexpr char kWantedShape[] =
    "column address.address text NOT NULL;column address.chain text NOT NULL;"
    "column address.lock_epoch bigint NOT NULL;column address.lock_holder text NOT NULL;"
    "column address.lock_since_ms bigint NOT NULL;column address.operation_id text;"
    "column address.ownership bytea NOT NULL;column address.revision bigint NOT NULL;"
    "column address.serial bigint NOT NULL;column history.address text NOT NULL;column history.at_ms bigint NOT NULL;"
    "column history.chain text NOT NULL;column history.kind text NOT NULL;column history.operation_id text NOT NULL;"
    "column history.ownership_sha256 text NOT NULL;column history.payload bytea NOT NULL;"
    "column history.sequence bigint NOT NULL;column history.serial bigint NOT NULL;"
    "column store.created_at_ms bigint NOT NULL;column store.only_one integer NOT NULL;"
    "column store.store_id text NOT NULL;column store.version integer NOT NULL;function check_order;function refuse;"
    "index address_pkey;index history_operation;index history_pkey;index store_pkey;trigger address.address_grows O;"
    "trigger address.address_stays O;trigger history.history_grows O;trigger history.history_in_order O;"
    "trigger history.history_stays O;trigger store.store_stays O";

constexpr char kShape[] = R"sql(
WITH relations AS (SELECT c.oid, c.relname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                   WHERE n.nspname = $1)
SELECT string_agg(line, ';' ORDER BY line COLLATE "C") FROM (
  SELECT 'column ' || r.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END AS line
  FROM pg_attribute a JOIN relations r ON r.oid = a.attrelid
  WHERE r.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT 'index ' || relname FROM relations WHERE relkind = 'i'
  UNION ALL SELECT 'trigger ' || r.relname || '.' || t.tgname || ' ' || t.tgenabled::text
  FROM pg_trigger t JOIN relations r ON r.oid = t.tgrelid WHERE NOT t.tgisinternal
  UNION ALL SELECT 'function ' || p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
  WHERE n.nspname = $1) AS lines)sql";

absl::Status Refused(const PgConnection& connection, const std::string& schema, absl::StatusCode code,
                     std::string_view words) {
  return absl::Status(code, absl::StrCat(connection.where(), ", schema ", schema, ": ", words));
}

absl::Status CheckShape(PgConnection* connection, const std::string& schema) {
  absl::StatusOr<Rows> shape = connection->Run(kShape, {schema});
  if (!shape.ok()) return shape.status();
  if (shape->size() == 1 && shape->Text(0, 0) == kWantedShape) return absl::OkStatus();
  return Refused(*connection, schema, absl::StatusCode::kDataLoss,
                 absl::StrCat("its tables, triggers or functions are not those of a state store of version ", kVersion,
                              "; restore it from a copy"));
}

absl::Status MakeTables(PgConnection* connection, const std::string& schema) {
  // Two tools at once would both find nothing; the second one waits here, and then finds the store.
  absl::StatusOr<Rows> lock =
      connection->Run("SELECT pg_advisory_xact_lock(hashtextextended('st.schema.' || $1, 0))", {schema});
  if (!lock.ok()) return lock.status();
  absl::StatusOr<bool> there = CheckSchema(connection, schema);
  if (!there.ok() || *there) return there.status();
  absl::StatusOr<Rows> shape = connection->Run(kShape, {schema});
  if (!shape.ok()) return shape.status();
  if (shape->size() != 1 || !shape->Text(0, 0).empty()) {
    return Refused(*connection, schema, absl::StatusCode::kFailedPrecondition,
                   "it holds something else than a state store; name another schema");
  }
  // Whoever owns the database may have made an empty schema for a role that may not.
  absl::StatusOr<Rows> found = connection->Run("SELECT FROM pg_namespace WHERE nspname = $1", {schema});
  if (!found.ok()) return found.status();
  const std::string quoted = absl::StrCat("\"", schema, "\"");
  if (found->size() == 0) {
    if (auto made = connection->Run("CREATE SCHEMA " + quoted); !made.ok()) return made.status();
  }
  for (std::string_view statement : absl::StrSplit(kTables, "----\n")) {
    auto made = connection->Run(absl::StrReplaceAll(statement, {{"$S", quoted}}));
    if (!made.ok()) return made.status();
  }
  return connection
      ->Run(absl::StrCat("INSERT INTO ", quoted, ".store VALUES (1, $1, $2, $3)"),
            {uint64_t{kVersion}, base::NewUuid(), base::RealClock().NowMs()})
      .status();
}

}  // namespace

absl::Status CheckSchemaName(const std::string& schema) {
  const bool fits = !schema.empty() && schema.size() <= kMaxSchemaName && !absl::ascii_isdigit(schema[0]) &&
                    std::all_of(schema.begin(), schema.end(), [](unsigned char c) {
                      return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_';
                    });
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError("a schema's name has lower-case letters, digits and `_`, up to 63, no digit first");
}

absl::StatusOr<bool> CheckSchema(PgConnection* connection, const std::string& schema) {
  absl::StatusOr<Rows> found = connection->Run(
      "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relname = "
      "'store'",
      {schema});
  if (!found.ok()) return found.status();
  if (found->size() == 0) return false;
  absl::StatusOr<Rows> version = connection->Run(absl::StrCat("SELECT version FROM \"", schema, "\".store"));
  if (!version.ok()) return version.status();
  if (version->size() != 1) {
    return Refused(*connection, schema, absl::StatusCode::kDataLoss, "it has no store id; restore it from a copy");
  }
  if (version->Integer(0, 0) > kVersion) {
    return Refused(*connection, schema, absl::StatusCode::kFailedPrecondition,
                   absl::StrCat("made by a newer version of these tools (store version ", version->Integer(0, 0),
                                ", this one knows ", kVersion, "); use that one"));
  }
  if (version->Integer(0, 0) != kVersion) {
    return Refused(*connection, schema, absl::StatusCode::kDataLoss,
                   absl::StrCat("a store version of ", version->Integer(0, 0), " never existed"));
  }
  if (absl::Status fit = CheckShape(connection, schema); !fit.ok()) return fit;
  return true;
}

absl::Status MakeSchema(PgConnection* connection, const std::string& schema) {
  if (auto begun = connection->Run("BEGIN ISOLATION LEVEL READ COMMITTED"); !begun.ok()) return begun.status();
  if (absl::Status made = MakeTables(connection, schema); !made.ok()) {
    // The caller gives the connection up, which rolls back.
    return made;
  }
  // An uncertain one does no harm: the next look finds a whole store or none.
  return connection->Run("COMMIT").status();
}

}  // namespace st::state

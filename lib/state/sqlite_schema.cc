#include "lib/state/sqlite_schema.h"

#include <cstdint>
#include <memory>

#include "absl/strings/str_cat.h"

namespace st::state {
namespace {

// "stst" in ASCII; what file(1) and we know a state store by.
constexpr int64_t kApplicationId = 0x73747374;
constexpr int64_t kVersion = 1;

// Documented in docs/journal.md. The triggers guard against faults of ours: a rule that only code keeps is soon lost.
constexpr char kTables[] = R"sql(
CREATE TABLE store (
  only_one INTEGER PRIMARY KEY CHECK (only_one = 1),
  store_id TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE address (
  address TEXT PRIMARY KEY NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 0),
  chain TEXT NOT NULL,
  lock_epoch INTEGER NOT NULL CHECK (lock_epoch >= 1),
  serial INTEGER NOT NULL CHECK (serial >= 0),
  ownership BLOB NOT NULL,
  operation_id TEXT
) STRICT;
CREATE TABLE history (
  address TEXT NOT NULL REFERENCES address (address),
  sequence INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('begin', 'checkpoint', 'authorization', 'complete')),
  operation_id TEXT NOT NULL,
  payload BLOB NOT NULL,
  serial INTEGER NOT NULL,
  ownership_sha256 TEXT NOT NULL,
  chain TEXT NOT NULL,
  PRIMARY KEY (address, sequence)
) STRICT;
CREATE UNIQUE INDEX history_operation ON history (operation_id) WHERE kind = 'begin';
CREATE TRIGGER history_no_update BEFORE UPDATE ON history BEGIN
  SELECT RAISE (ABORT, 'history only grows');
END;
CREATE TRIGGER history_no_delete BEFORE DELETE ON history BEGIN
  SELECT RAISE (ABORT, 'history only grows');
END;
CREATE TRIGGER history_in_order BEFORE INSERT ON history
WHEN NEW.sequence <> 1 + (SELECT coalesce(max(sequence), 0) FROM history WHERE address = NEW.address) BEGIN
  SELECT RAISE (ABORT, 'history has no gaps');
END;
CREATE TRIGGER address_only_grows BEFORE UPDATE ON address
WHEN NEW.address <> OLD.address OR NEW.revision NOT IN (OLD.revision, OLD.revision + 1)
  OR NEW.serial NOT IN (OLD.serial, OLD.serial + 1) OR NEW.lock_epoch NOT IN (OLD.lock_epoch, OLD.lock_epoch + 1) BEGIN
  SELECT RAISE (ABORT, 'revision, serial and lock epoch grow by one');
END;
CREATE TRIGGER address_no_delete BEFORE DELETE ON address BEGIN
  SELECT RAISE (ABORT, 'an address is never forgotten');
END;
CREATE TRIGGER store_no_update BEFORE UPDATE ON store BEGIN
  SELECT RAISE (ABORT, 'a store keeps its id');
END;
CREATE TRIGGER store_no_delete BEFORE DELETE ON store BEGIN
  SELECT RAISE (ABORT, 'a store keeps its id');
END;
)sql";

absl::StatusOr<std::unique_ptr<Connection>> NewTables() {
  absl::StatusOr<std::unique_ptr<Connection>> memory = Connection::OpenInMemory();
  if (!memory.ok()) return memory;
  if (absl::Status made = (*memory)->Execute(kTables); !made.ok()) return made;
  return memory;
}

constexpr char kSchemaText[] =
    "SELECT coalesce(group_concat(type || ' ' || name || ': ' || sql, char(10)), '') FROM "
    "(SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name)";

// As SQLite keeps it; made once in a process.
const absl::StatusOr<std::string>& WantedSchemaText() {
  static const absl::StatusOr<std::string>* const text = new absl::StatusOr<std::string>([] {
    absl::StatusOr<std::unique_ptr<Connection>> memory = NewTables();
    return memory.ok() ? (*memory)->QueryText(kSchemaText) : memory.status();
  }());
  return *text;
}

absl::Status CheckTables(const std::string& path, Connection* connection) {
  const absl::StatusOr<std::string>& wanted = WantedSchemaText();
  if (!wanted.ok()) return wanted.status();
  absl::StatusOr<std::string> found = connection->QueryText(kSchemaText);
  if (!found.ok()) return found.status();
  if (*found == *wanted) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(path, ": its tables or triggers are not those of a state store of version ",
                                          kVersion, "; restore it from a copy"));
}

absl::Status CheckPages(const std::string& path, Connection* connection) {
  absl::StatusOr<std::string> answer = connection->QueryText("PRAGMA quick_check(1)");
  if (!answer.ok()) return answer.status();
  if (*answer == "ok") return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(path, ": the state file is damaged; restore it from a copy (SQLite: ", *answer, ")"));
}

}  // namespace

absl::StatusOr<std::string> NewStoreImage(const std::string& store_id, int64_t created_at_ms) {
  absl::StatusOr<std::unique_ptr<Connection>> memory = NewTables();
  if (!memory.ok()) return memory.status();
  absl::Status marked =
      (*memory)->Execute(absl::StrCat("PRAGMA application_id=", kApplicationId, "; PRAGMA user_version=", kVersion));
  if (!marked.ok()) return marked;
  absl::Status named = Statement(memory->get(), "INSERT INTO store VALUES (1, ?, ?)")
                           .Text(store_id)
                           .Integer(static_cast<uint64_t>(created_at_ms))
                           .Run();
  if (!named.ok()) return named;
  return (*memory)->Serialize();
}

absl::Status CheckStore(const std::string& path, Connection* connection) {
  absl::StatusOr<int64_t> application = connection->QueryInteger("PRAGMA application_id");
  if (!application.ok()) return application.status();
  if (*application != kApplicationId) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": a SQLite file of another program, not a state store; name another file"));
  }
  absl::StatusOr<int64_t> version = connection->QueryInteger("PRAGMA user_version");
  if (!version.ok()) return version.status();
  if (*version > kVersion) {
    return absl::FailedPreconditionError(absl::StrCat(path, ": made by a newer version of these tools (store version ",
                                                      *version, ", this one knows ", kVersion, "); use that one"));
  }
  if (*version != kVersion) {
    return absl::DataLossError(absl::StrCat(path, ": a store version of ", *version, " never existed"));
  }
  // A store in WAL mode would lose commits on power loss, and could not be read from a read-only mount.
  absl::StatusOr<std::string> mode = connection->QueryText("PRAGMA journal_mode");
  if (!mode.ok()) return mode.status();
  if (*mode != "delete") {
    return absl::FailedPreconditionError(absl::StrCat(path, ": its journal mode was changed to ", *mode,
                                                      "; set it back with PRAGMA journal_mode=DELETE"));
  }
  if (absl::Status tables = CheckTables(path, connection); !tables.ok()) return tables;
  return CheckPages(path, connection);
}

}  // namespace st::state

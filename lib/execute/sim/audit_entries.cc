#include "lib/execute/sim/audit_entries.h"

#include <initializer_list>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"

namespace st::sim {
namespace {

// As docs/journal.md writes it down; the store has its own.
std::string HashFields(std::initializer_list<std::string_view> fields) {
  std::string bytes;
  for (const std::string_view field : fields) absl::StrAppend(&bytes, field.size(), ":", field);
  return base::Sha256Hex(bytes);
}

std::string ChainAfter(const std::string& previous, const state::HistoryEntry& entry) {
  return HashFields({"st.history.1", previous, absl::StrCat(entry.sequence), absl::StrCat(entry.at_ms), entry.kind,
                     entry.operation_id, absl::StrCat(entry.serial), entry.ownership_sha256, entry.payload});
}

// The order of one operation after another.
class Order {
 public:
  void Read(const state::HistoryEntry& entry, bool counts) {
    const bool begins = entry.kind == "begin";
    if (begins == open_) Broken(entry, begins ? "begins while another is open" : "belongs to no open operation");
    if (begins) {
      operation_ = entry.operation_id;
      authorizations_ = 0;
      if (counts) ++begun_;
      // A plan is stale once ownership changed; what changes nothing there may be carried out again.
      if (begun_ == 1) serial_of_plan_ = serial_;
      if (begun_ > 1 && serial_ != serial_of_plan_) Broken(entry, "begins a second operation from one plan");
    }
    open_ = entry.kind != "complete";
    if (entry.operation_id != operation_) Broken(entry, "is of another operation");
    if (entry.kind == "authorization") ReadAuthorization(entry);
    const bool changed = entry.ownership_sha256 != ownership_;
    if (entry.serial != serial_ + (changed && entry.kind == "complete" ? 1 : 0)) Broken(entry, "has a wrong serial");
    if (changed && entry.kind != "complete" && entry.sequence > 1) Broken(entry, "changes ownership");
    serial_ = entry.serial;
    ownership_ = entry.ownership_sha256;
  }

  std::vector<std::string> TakeViolations() { return std::move(violations_); }

 private:
  void Broken(const state::HistoryEntry& entry, std::string_view what) {
    violations_.push_back(absl::StrCat("entry ", entry.sequence, ", ", entry.kind, ", ", what));
  }

  void ReadAuthorization(const state::HistoryEntry& entry) {
    v1::Authorization authorization;
    if (!authorization.ParseFromString(entry.payload)) Broken(entry, "cannot be read");
    if (authorization.number() != ++authorizations_) Broken(entry, "has a wrong number");
    if (authorization.by().empty() || authorization.interruption().empty()) Broken(entry, "says not who and what");
  }

  bool open_ = false;
  int begun_ = 0;
  uint64_t serial_of_plan_ = 0;
  std::string operation_;
  uint32_t authorizations_ = 0;
  uint64_t serial_ = 0;
  std::string ownership_ = base::Sha256Hex("");
  std::vector<std::string> violations_;
};

}  // namespace

Entries::Entries(const std::vector<state::HistoryEntry>& history, size_t before) {
  for (size_t i = before; i < history.size(); ++i) {
    Entry& entry = entries_.emplace_back();
    entry.sequence = history[i].sequence;
    entry.kind = history[i].kind;
    entry.operation_id = history[i].operation_id;
    if (entry.kind != "checkpoint" || !entry.checkpoint.ParseFromString(history[i].payload)) continue;
    for (const v1::PartitionOffset& offset : entry.checkpoint.vector()) {
      entry.vector[offset.partition()] = offset.offset();
    }
  }
}

const Entry* Entries::CloseOf(const std::string& generation_id) const {
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    const bool closes = entry.checkpoint.name() == v1::Checkpoint::GENERATION_CLOSED;
    if (closes && entry.checkpoint.generation_id() == generation_id) found = &entry;
  }
  return found;
}

const Entry* Entries::FirstVector() const {
  for (const Entry& entry : entries_) {
    if (entry.checkpoint.name() == v1::Checkpoint::STARTED && !entry.vector.empty()) return &entry;
  }
  return nullptr;
}

const Entry* Entries::OwnedRunner() const {
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    const bool done = entry.checkpoint.name() == v1::Checkpoint::ACTION_DONE;
    if (done && entry.checkpoint.owned().has_runner()) found = &entry;
  }
  return found;
}

const Entry* Entries::VectorAt(uint64_t sequence) const {
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.sequence <= sequence && !entry.vector.empty()) found = &entry;
  }
  return found;
}

bool Entries::OwnershipChanges(const std::vector<v1::OwnedResource>& priors) const {
  std::map<std::string, std::string> last;
  for (const Entry& entry : entries_) {
    const v1::OwnedResource& owned = entry.checkpoint.owned();
    if (entry.checkpoint.name() == v1::Checkpoint::ACTION_DONE) last[owned.resource()] = base::Checksum(owned);
  }
  for (const v1::OwnedResource& prior : priors) {
    auto it = last.find(prior.resource());
    if (it != last.end() && it->second == base::Checksum(prior)) last.erase(it);
  }
  return !last.empty();
}

const Entry* Entries::DoneOf(uint32_t action_index) const {
  for (const Entry& entry : entries_) {
    const bool done = entry.checkpoint.name() == v1::Checkpoint::ACTION_DONE;
    if (done && entry.checkpoint.action_index() == action_index) return &entry;
  }
  return nullptr;
}

bool Entries::AuthorizedBefore(uint64_t sequence) const {
  for (const Entry& entry : entries_) {
    if (entry.kind == "authorization" && entry.sequence < sequence) return true;
  }
  return false;
}

std::vector<std::string> CheckEntries(const std::string& store_id, const std::string& address,
                                      const std::vector<state::HistoryEntry>& history, size_t before) {
  Order order;
  std::string chain = HashFields({"st.history.1", store_id, address});
  std::vector<std::string> violations;
  for (size_t i = 0; i < history.size(); ++i) {
    chain = ChainAfter(chain, history[i]);
    if (history[i].sequence != i + 1 || history[i].chain != chain) {
      violations.push_back(absl::StrCat("the chain does not hold at entry ", i + 1));
      return violations;
    }
    order.Read(history[i], i >= before);
  }
  return order.TakeViolations();
}

}  // namespace st::sim

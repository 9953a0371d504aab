#include "lib/state/history_chain.h"

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"

namespace st::state {
namespace {

void AddField(std::string_view field, base::Sha256* digest) {
  digest->Update(absl::StrCat(field.size(), ":"));
  digest->Update(field);
}

}  // namespace

std::string ChainStart(std::string_view store_id, std::string_view address) {
  base::Sha256 digest;
  AddField("st.history.1", &digest);
  AddField(store_id, &digest);
  AddField(address, &digest);
  return digest.Hex();
}

std::string ChainNext(std::string_view previous, const HistoryEntry& entry) {
  base::Sha256 digest;
  AddField("st.history.1", &digest);
  AddField(previous, &digest);
  AddField(absl::StrCat(entry.sequence), &digest);
  AddField(absl::StrCat(entry.at_ms), &digest);
  AddField(entry.kind, &digest);
  AddField(entry.operation_id, &digest);
  AddField(absl::StrCat(entry.serial), &digest);
  AddField(entry.ownership_sha256, &digest);
  AddField(entry.payload, &digest);
  return digest.Hex();
}

absl::Status CheckChain(std::string_view previous, uint64_t first, const std::vector<HistoryEntry>& entries) {
  for (const HistoryEntry& entry : entries) {
    if (entry.sequence != first) {
      return absl::DataLossError(absl::StrCat("entry ", first, " of the log is missing"));
    }
    if (entry.chain != ChainNext(previous, entry)) {
      return absl::DataLossError(absl::StrCat("entry ", entry.sequence, " of the log was changed, or one before it"));
    }
    previous = entry.chain;
    ++first;
  }
  return absl::OkStatus();
}

}  // namespace st::state

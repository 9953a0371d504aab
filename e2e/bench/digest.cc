#include "e2e/bench/digest.h"

#include <limits>
#include <tuple>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"

namespace st::e2e::bench {

void Digest::Add(int32_t partition, int64_t timestamp_ms, std::string_view key, std::string_view value) {
  const auto place = static_cast<size_t>(partition);
  if (place >= last_ms_.size()) last_ms_.resize(place + 1, std::numeric_limits<int64_t>::min());
  if (timestamp_ms <= last_ms_[place] && disorder_.empty()) {
    disorder_ = absl::StrCat("in partition ", partition, " the record of ", timestamp_ms, " follows that of ",
                             last_ms_[place], ": it came twice or out of order");
  }
  last_ms_[place] = timestamp_ms;
  ++records_;
  value_bytes_ += static_cast<int64_t>(value.size());
  sum_ += absl::HashOf(partition, timestamp_ms, key, value);
}

std::string Digest::Difference(const Digest& expected) const {
  if (!disorder_.empty()) return disorder_;
  if (records_ != expected.records_) {
    return absl::StrCat(records_, " records where ", expected.records_, " are expected");
  }
  return sum_ == expected.sum_ ? "" : absl::StrCat("other records than expected among ", records_);
}

}  // namespace st::e2e::bench

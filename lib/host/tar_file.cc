#include "lib/host/tar_file.h"

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace st::host {
namespace {

constexpr size_t kBlock = 512;
constexpr size_t kChecksumAt = 148;
constexpr size_t kChecksumSize = 8;
constexpr size_t kSizeAt = 124;
constexpr size_t kSizeSize = 12;
constexpr size_t kTypeAt = 156;
constexpr size_t kMagicAt = 257;

absl::Status Damaged(std::string_view what) {
  return absl::DataLossError(absl::StrCat("the engine's archive of one file ", what));
}

// Octal digits, after blanks and before blanks or NULs.
std::optional<uint64_t> Octal(std::string_view field) {
  size_t i = 0;
  while (i < field.size() && field[i] == ' ') ++i;
  uint64_t value = 0;
  size_t digits = 0;
  for (; i < field.size() && field[i] >= '0' && field[i] <= '7'; ++i, ++digits) {
    value = value * 8 + static_cast<uint64_t>(field[i] - '0');
  }
  for (; i < field.size(); ++i) {
    if (field[i] != ' ' && field[i] != '\0') return std::nullopt;
  }
  if (digits == 0) return std::nullopt;
  return value;
}

bool IsZero(std::string_view block) { return block.find_first_not_of('\0') == std::string_view::npos; }

// Bytes as unsigned, the checksum's own field as blanks.
bool ChecksumFits(std::string_view header) {
  uint64_t sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kChecksumAt && i < kChecksumAt + kChecksumSize;
    sum += own ? ' ' : static_cast<unsigned char>(header[i]);
  }
  return Octal(header.substr(kChecksumAt, kChecksumSize)) == sum;
}

// A header block and the bytes that belong to it. Takes both off `rest`.
struct Entry {
  char type = 0;
  std::string_view content;
};

absl::StatusOr<Entry> Take(std::string_view* rest) {
  if (rest->size() < kBlock) return Damaged("was cut off");
  const std::string_view header = rest->substr(0, kBlock);
  if (IsZero(header)) return Damaged("holds no file");
  if (!absl::StartsWith(header.substr(kMagicAt), "ustar") || !ChecksumFits(header)) return Damaged("has a bad header");
  const std::optional<uint64_t> size = Octal(header.substr(kSizeAt, kSizeSize));
  if (!size.has_value()) return Damaged("has a bad size");
  rest->remove_prefix(kBlock);
  if (*size > rest->size()) return Damaged("was cut off");
  const size_t padded = (static_cast<size_t>(*size) + kBlock - 1) / kBlock * kBlock;
  if (padded > rest->size()) return Damaged("was cut off");
  Entry entry{header[kTypeAt], rest->substr(0, static_cast<size_t>(*size))};
  rest->remove_prefix(padded);
  return entry;
}

// Names, times and attributes may be said better in an extended header; a size there would overrule the one we go by.
bool OverrulesSize(std::string_view records) { return absl::StrContains(records, " size="); }

}  // namespace

absl::StatusOr<std::string> ReadTarFile(std::string_view archive) {
  absl::StatusOr<Entry> entry = Take(&archive);
  if (entry.ok() && entry->type == 'x') {
    if (OverrulesSize(entry->content)) return Damaged("has a size that is too large");
    entry = Take(&archive);
  }
  if (!entry.ok()) return entry.status();
  if (entry->type != '0' && entry->type != '\0') return Damaged("holds no regular file");
  if (archive.size() < 2 * kBlock) return Damaged("was cut off");
  if (!IsZero(archive)) return Damaged("holds more than one file");
  return std::string(entry->content);
}

}  // namespace st::host

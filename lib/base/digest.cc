#include "lib/base/digest.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message_lite.h>
#include <openssl/evp.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace st::base {
namespace {

// SHA-256 in memory fails only when there is no memory, or no crypto library: nothing can go on then.
void Require(bool done, const char* what) {
  if (done) return;
  std::fprintf(stderr, "fatal: SHA-256: %s failed\n", what);
  std::abort();
}

// Fetched once: OpenSSL 3 looks an algorithm up by name each time otherwise.
const EVP_MD* Algorithm() {
  static const EVP_MD* const kAlgorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Require(kAlgorithm != nullptr, "EVP_MD_fetch");
  return kAlgorithm;
}

std::string Hex(const unsigned char* bytes, size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * size);
  for (size_t i = 0; i < size; ++i) {
    hex.push_back(kDigits[bytes[i] >> 4]);
    hex.push_back(kDigits[bytes[i] & 15]);
  }
  return hex;
}

// Where a field stands in its message's bytes, tag and all; an empty place when it is not there.
struct FieldPlace {
  size_t begin = 0;
  size_t end = 0;
};

// https://protobuf.dev/programming-guides/encoding: a tag is the field's number and three bits that say how long its
// value is. Groups are none of ours.
FieldPlace PlaceOf(int field_number, std::string_view bytes) {
  enum WireType { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2, kFixed32 = 5 };
  google::protobuf::io::CodedInputStream coded(reinterpret_cast<const uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  while (true) {
    const int begin = coded.CurrentPosition();
    const uint32_t tag = coded.ReadTag();
    if (tag == 0) return {};
    uint64_t number = 0;
    uint32_t length = 0;
    bool skipped = false;
    switch (tag & 7) {
      case kVarint:
        skipped = coded.ReadVarint64(&number);
        break;
      case kFixed64:
        skipped = coded.Skip(8);
        break;
      case kLengthDelimited:
        skipped = coded.ReadVarint32(&length) && coded.Skip(static_cast<int>(length));
        break;
      case kFixed32:
        skipped = coded.Skip(4);
        break;
      default:
        break;
    }
    Require(skipped, "a walk over a message's own bytes");
    if (static_cast<int>(tag >> 3) == field_number) {
      return {static_cast<size_t>(begin), static_cast<size_t>(coded.CurrentPosition())};
    }
  }
}

}  // namespace

struct Sha256::Impl {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~Impl() { EVP_MD_CTX_free(context); }
};

Sha256::Sha256() : impl_(std::make_unique<Impl>()) {
  Require(impl_->context != nullptr, "EVP_MD_CTX_new");
  Require(EVP_DigestInit_ex(impl_->context, Algorithm(), nullptr) == 1, "EVP_DigestInit_ex");
}

Sha256::~Sha256() = default;

void Sha256::Update(std::string_view bytes) {
  Require(EVP_DigestUpdate(impl_->context, bytes.data(), bytes.size()) == 1, "EVP_DigestUpdate");
}

std::string Sha256::Hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  Require(EVP_DigestFinal_ex(impl_->context, digest.data(), &size) == 1, "EVP_DigestFinal_ex");
  return base::Hex(digest.data(), size);
}

std::string Sha256Hex(std::string_view bytes) {
  Sha256 sha;
  sha.Update(bytes);
  return sha.Hex();
}

std::string DeterministicBytes(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  const bool done = message.SerializePartialToCodedStream(&coded);
  coded.Trim();
  if (!done || coded.HadError()) {
    std::fprintf(stderr, "fatal: a message of over 2 GB cannot be serialized\n");
    std::abort();
  }
  return bytes;
}

std::string Checksum(const google::protobuf::MessageLite& message) { return Sha256Hex(DeterministicBytes(message)); }

std::string ChecksumWithout(int field_number, const google::protobuf::MessageLite& message) {
  const std::string bytes = DeterministicBytes(message);
  const FieldPlace place = PlaceOf(field_number, bytes);
  Sha256 sha;
  sha.Update(std::string_view(bytes).substr(0, place.begin));
  sha.Update(std::string_view(bytes).substr(place.end));
  return sha.Hex();
}

}  // namespace st::base

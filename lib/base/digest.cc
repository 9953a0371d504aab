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

}  // namespace st::base

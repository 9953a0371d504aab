// SHA-256, by OpenSSL. Pure; any thread.
#ifndef ST_LIB_BASE_DIGEST_H_
#define ST_LIB_BASE_DIGEST_H_

#include <memory>
#include <string>
#include <string_view>

namespace google::protobuf {
class MessageLite;
}

namespace st::base {

// 64 lower-case hex digits.
std::string Sha256Hex(std::string_view bytes);

// Deterministic serialization of `message`: equal meaning gives equal bytes, as our checksummed messages hold no
// maps, no floats and only sorted lists.
std::string DeterministicBytes(const google::protobuf::MessageLite& message);

// Sha256Hex(DeterministicBytes(message)). A message that holds its own checksum: clear that field first.
std::string Checksum(const google::protobuf::MessageLite& message);

// As if the string field of that number, which stands once in `message` itself, were cleared: what such a message's
// checksum has to be, without a copy of the message.
std::string ChecksumWithout(int field_number, const google::protobuf::MessageLite& message);

// For bytes that come piece by piece.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;
  void Update(std::string_view bytes);
  // Ends it; call once.
  std::string Hex();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace st::base

#endif  // ST_LIB_BASE_DIGEST_H_

// PEM texts of certificates and private keys by their form (RFC 7468): what can be said before a TLS library sees them.
// Pure; no function quotes the text.
#ifndef ST_LIB_BASE_PEM_H_
#define ST_LIB_BASE_PEM_H_

#include <string_view>

namespace st::base {

enum class PemKind { kCertificate, kPrivateKey };

// True when `text` has a block of that kind from its BEGIN line to its END line. Lines may end in CR LF; other blocks
// and text around are allowed, as in files that hold certificate and key.
bool HasPem(std::string_view text, PemKind kind);

// What is wrong with a text that stands in a setting, in words that follow the setting's name, such as "holds no PEM
// block of a certificate"; empty when nothing is. It must have blocks of that kind and of no other; CR and NUL are
// refused. A private key among certificates is a secret where none may be.
std::string_view PemFault(std::string_view text, PemKind kind);

}  // namespace st::base

#endif  // ST_LIB_BASE_PEM_H_

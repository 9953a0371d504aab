#include "lib/base/pem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace st::base {
namespace {

std::string Block(std::string_view label) {
  return absl::StrCat("-----BEGIN ", label, "-----\nMIIB+/ab\nAA==\n-----END ", label, "-----\n");
}

struct Case {
  std::string text;
  std::string certificate;  // the fault as such; empty: none
  std::string key;
};

TEST(PemFault, IsAboutTheForm) {
  const std::string no_certificate = "holds no PEM block of a certificate";
  const std::string no_key = "holds no PEM block of a private key";
  const std::string secret = "holds a private key, which is a secret";
  const std::string certificate = Block("CERTIFICATE");
  const std::string key = Block("PRIVATE KEY");
  const Case cases[] = {
      {certificate, "", no_key},
      {certificate + certificate, "", no_key},
      {"# from the security team\n\n" + certificate + "\nthe end", "", no_key},
      {Block("TRUSTED CERTIFICATE"), "", no_key},
      {key, secret, ""},
      {Block("ENCRYPTED PRIVATE KEY"), secret, ""},
      {Block("RSA PRIVATE KEY"), secret, ""},
      {certificate + key, secret, ""},
      {"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAA==\n"
       "-----END RSA PRIVATE KEY-----",
       secret, ""},
      {"", no_certificate, no_key},
      {"secret", no_certificate, no_key},
      {Block("CERTIFICATE REQUEST"), no_certificate, no_key},
      {Block("PUBLIC KEY"), no_certificate, no_key},
      // Nothing in it, cut off, ended as another, pressed into one line, moved to the right, or not base64.
      {"-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", no_certificate, no_key},
      {"-----BEGIN CERTIFICATE-----\nMIIB\n", no_certificate, no_key},
      {"-----BEGIN CERTIFICATE-----\nMIIB\n-----END X509 CRL-----\n", no_certificate, no_key},
      {absl::StrReplaceAll(certificate, {{"\n", " "}}), no_certificate, no_key},
      {absl::StrReplaceAll(certificate, {{"\n", "\\n"}}), no_certificate, no_key},
      {"  " + certificate, no_certificate, no_key},
      {"-----BEGIN CERTIFICATE-----\nMI IB\n-----END CERTIFICATE-----\n", no_certificate, no_key},
      {"-----BEGIN PRIVATE KEY-----\nMIIB\n", secret, no_key},
      {absl::StrReplaceAll(certificate, {{"\n", "\r\n"}}), "holds a carriage return", "holds a carriage return"},
      {certificate + std::string(1, '\0'), "holds a NUL", "holds a NUL"},
  };
  for (const Case& each : cases) {
    EXPECT_EQ(PemFault(each.text, PemKind::kCertificate), each.certificate) << each.text;
    EXPECT_EQ(PemFault(each.text, PemKind::kPrivateKey), each.key) << each.text;
  }
}

// As a file may be.
TEST(HasPem, AllowsOtherBlocksAndOtherLineEnds) {
  const std::string both = absl::StrReplaceAll(Block("PRIVATE KEY") + Block("CERTIFICATE"), {{"\n", "\r\n"}});
  EXPECT_TRUE(HasPem(both, PemKind::kCertificate));
  EXPECT_TRUE(HasPem(both, PemKind::kPrivateKey));
  EXPECT_FALSE(HasPem(Block("PRIVATE KEY"), PemKind::kCertificate));
  EXPECT_FALSE(HasPem("", PemKind::kPrivateKey));
}

}  // namespace
}  // namespace st::base

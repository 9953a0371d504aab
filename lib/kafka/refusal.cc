#include "lib/kafka/refusal.h"

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/diag/diag.h"

namespace st::kafka {
namespace {

using std::string_view;

constexpr int kLookMs = 3'000;
constexpr size_t kMaxMechanismsBytes = 100;

struct Words {
  string_view part;
  Refusal refusal;
};

// The first that stands in the text decides.
constexpr std::array<Words, 17> kWords = {{
    {"certificate verify failed", Refusal::kCertificate},
    {"alert certificate required", Refusal::kClientCertificate},
    {"alert unknown ca", Refusal::kClientCertificate},
    {"alert bad certificate", Refusal::kClientCertificate},
    {"alert certificate unknown", Refusal::kClientCertificate},
    {"alert certificate expired", Refusal::kClientCertificate},
    {"alert unsupported certificate", Refusal::kClientCertificate},
    {"Unsupported SASL mechanism", Refusal::kMechanism},
    {"not valid in current SASL state", Refusal::kNoSasl},
    {"SASL authentication error", Refusal::kCredentials},
    {"SaslAuthenticateRequest failed", Refusal::kCredentials},
    {"connecting to a PLAINTEXT broker listener", Refusal::kNoTls},
    {"wrong version number", Refusal::kNoTls},
    {"SSL handshake failed: Disconnected", Refusal::kNoTls},
    {"Disconnected", Refusal::kClosed},
    {"onnection closed by peer", Refusal::kClosed},
    {"onnection reset by peer", Refusal::kClosed},
}};

// "sasl_ssl://host:port/bootstrap: ..." or "host:port/1: ...".
void ReadBroker(string_view words, Complaint* complaint) {
  const size_t slash = words.find("://");
  if (slash != string_view::npos && words.substr(0, slash).find_first_of(": ") == string_view::npos) {
    words.remove_prefix(slash + 3);
  }
  string_view broker = words.substr(0, words.find('/'));
  const size_t colon = broker.rfind(':');
  if (broker.size() == words.size() || colon == string_view::npos || absl::StrContains(broker, " ")) return;
  string_view host = broker.substr(0, colon);
  if (absl::ConsumePrefix(&host, "[")) absl::ConsumeSuffix(&host, "]");
  complaint->host = std::string(host);
  complaint->port = std::string(broker.substr(colon + 1));
}

std::string Value(const Properties& properties, string_view name, string_view fallback = {}) {
  for (const auto& [each, value] : properties) {
    if (each == name || (name == "sasl.mechanism" && each == "sasl.mechanisms")) return value;
  }
  return std::string(fallback);
}

bool Has(const Properties& properties, string_view name) { return !Value(properties, name).empty(); }

std::string Broker(const Complaint& complaint) {
  if (complaint.host.empty()) return "the broker";
  const bool v6 = absl::StrContains(complaint.host, ":");
  return absl::StrCat(v6 ? "[" : "", complaint.host, v6 ? "]" : "", ":", complaint.port);
}

string_view CaProperty(const Properties& properties) {
  return Has(properties, "ssl.ca.pem") ? "ssl.ca.pem" : "ssl.ca.location";
}

Explanation ExplainCertificate(const std::string& broker, const Properties& properties, const Peer* peer) {
  const std::string certificate = absl::StrCat("the certificate of ", broker);
  switch (peer == nullptr ? Peer::Kind::kUnreachable : peer->kind) {
    case Peer::Kind::kUnknownIssuer: {
      const string_view ca = CaProperty(properties);
      const string_view hint = Has(properties, ca) ? " holds another CA" : " is not set, and this machine's CAs count";
      return {absl::StrCat(certificate, " is signed by ", peer->detail, ", which we do not trust: '", ca, "'", hint),
              true};
    }
    case Peer::Kind::kOtherHost:
      return {absl::StrCat(certificate, " is for other hosts (", peer->detail,
                           "): 'bootstrap.servers', and the broker's own advertised.listeners, must name it as its "
                           "certificate does"),
              true};
    case Peer::Kind::kExpired:
      return {
          absl::StrCat(certificate, ", or of a CA above it, expired at ", peer->detail, ": the broker needs a new one"),
          true};
    case Peer::Kind::kNotYetValid:
      return {absl::StrCat(certificate, ", or of a CA above it, is not valid before ", peer->detail,
                           ": look at this machine's clock"),
              true};
    case Peer::Kind::kUnfit:
      return {absl::StrCat(certificate, " is refused: ", peer->detail), true};
    default:
      return {absl::StrCat(certificate, " is refused: '", CaProperty(properties),
                           "' may hold another CA, the certificate may be for another host, or be expired"),
              false};
  }
}

Explanation ExplainNoTls(const std::string& broker, const std::string& protocol, const Peer* peer) {
  if (peer != nullptr && peer->kind != Peer::Kind::kNotTls) return {};
  return {absl::StrCat(broker, " does not speak TLS: 'security.protocol' is ", protocol, ", and that port would take ",
                       absl::StartsWith(protocol, "SASL_") ? "SASL_PLAINTEXT or " : "", "PLAINTEXT"),
          peer != nullptr};
}

Explanation ExplainClosed(const std::string& broker, const std::string& protocol, const Peer* peer) {
  const bool tls = absl::EndsWith(protocol, "SSL");
  const bool peer_has_tls =
      peer != nullptr && peer->kind != Peer::Kind::kNotTls && peer->kind != Peer::Kind::kUnreachable;
  if (!tls && peer_has_tls) {
    return {absl::StrCat(broker, " speaks TLS, and refused what is not: 'security.protocol' is ", protocol,
                         ", and must be SSL or SASL_SSL"),
            true};
  }
  // The client library does not always say that it was in the handshake.
  if (tls && peer != nullptr && peer->kind == Peer::Kind::kNotTls) return ExplainNoTls(broker, protocol, peer);
  return {absl::StrCat(broker, " closed the connection without a word",
                       absl::StartsWith(protocol, "SASL_") ? "" : ", as a port does that wants SASL",
                       ": 'security.protocol' is ", protocol),
          false};
}

}  // namespace

Complaint ReadComplaint(string_view words) {
  Complaint complaint;
  const auto found =
      std::find_if(kWords.begin(), kWords.end(), [&](const Words& one) { return absl::StrContains(words, one.part); });
  if (found == kWords.end()) return complaint;
  complaint.refusal = found->refusal;
  ReadBroker(words, &complaint);
  constexpr string_view kSupported = "supported mechanisms: ";
  if (const size_t at = words.find(kSupported); at != string_view::npos) {
    const string_view list = words.substr(at + kSupported.size());
    complaint.mechanisms = diag::Visible(list.substr(0, list.find_first_of(" (")), kMaxMechanismsBytes);
  }
  return complaint;
}

bool NeedsLook(Refusal refusal) {
  return refusal == Refusal::kCertificate || refusal == Refusal::kNoTls || refusal == Refusal::kClosed;
}

Explanation Explain(const Complaint& complaint, const Properties& properties, const Peer* peer) {
  const std::string broker = Broker(complaint);
  const std::string protocol = Value(properties, "security.protocol", "PLAINTEXT");
  const std::string mechanism = Value(properties, "sasl.mechanism");
  switch (complaint.refusal) {
    case Refusal::kNone:
      return {};
    case Refusal::kCertificate:
      return ExplainCertificate(broker, properties, peer);
    case Refusal::kClientCertificate:
      return {Has(properties, "ssl.certificate.location") || Has(properties, "ssl.certificate.pem")
                  ? absl::StrCat(broker,
                                 " does not accept our client certificate ('ssl.certificate.location' or "
                                 "'ssl.certificate.pem'): it may trust another CA, or it may be expired")
                  : absl::StrCat(broker,
                                 " wants a client certificate: 'ssl.certificate.location' and "
                                 "'ssl.key.location' are not set"),
              true};
    case Refusal::kCredentials:
      return {absl::StrCat(broker, " refused our user name or our password (SASL ", mechanism,
                           "), and does not say which: look at 'sasl.username' and 'sasl.password'"),
              true};
    case Refusal::kMechanism:
      return {absl::StrCat(broker, " does not take the SASL mechanism ", mechanism,
                           complaint.mechanisms.empty() ? "" : absl::StrCat(", but ", complaint.mechanisms),
                           ": look at 'sasl.mechanism'"),
              true};
    case Refusal::kNoSasl:
      return {absl::StrCat(broker, " takes no SASL: 'security.protocol' is ", protocol, ", and that port would take ",
                           absl::EndsWith(protocol, "SSL") ? "SSL" : "PLAINTEXT"),
              true};
    case Refusal::kNoTls:
      return ExplainNoTls(broker, protocol, peer);
    case Refusal::kClosed:
      return ExplainClosed(broker, protocol, peer);
  }
  return {};
}

std::string ExplainSettings(string_view words) {
  if (absl::StrContains(words, "key values mismatch")) {
    return "the private key is not that of the client certificate: look at 'ssl.key.*' and 'ssl.certificate.*'";
  }
  const string_view property = words.substr(0, words.find(' '));
  if (!absl::StrContains(words, " failed: ") || !absl::StartsWith(property, "ssl.")) return std::string(words);
  if (absl::StartsWith(property, "ssl.key.")) {
    return absl::StrCat("the private key of '", property,
                        "' cannot be read: it is not there, is not PEM, or 'ssl.key.password' is not its password");
  }
  return absl::StrCat("the certificate of '", property, "' cannot be read: it is not there, or is not PEM");
}

Explanation ExplainTrouble(string_view words, const Properties& properties) {
  const Complaint complaint = ReadComplaint(words);
  if (!NeedsLook(complaint.refusal) || complaint.host.empty()) return Explain(complaint, properties, nullptr);
  const Peer peer = LookAtPeer(complaint.host, complaint.port, properties, kLookMs);
  return Explain(complaint, properties, &peer);
}

}  // namespace st::kafka

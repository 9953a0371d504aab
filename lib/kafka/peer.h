// A look at what answers on a broker's port: does it speak TLS, and what is its certificate worth to us. Only for the
// diagnosis of a connection that the client library could not make: it gives one text for every fault of a certificate.
#ifndef ST_LIB_KAFKA_PEER_H_
#define ST_LIB_KAFKA_PEER_H_

#include <string>

#include "lib/kafka/properties.h"

namespace st::kafka {

struct Peer {
  enum class Kind {
    kUnreachable,  // no connection, or no answer in time
    kNotTls,       // it closed the connection, or answered something else
    kTrusted,
    kUnknownIssuer,
    kOtherHost,
    kExpired,
    kNotYetValid,
    kUnfit,  // anything else that is wrong with the certificate
  };
  Kind kind = Kind::kUnreachable;
  // What the certificate says about the fault: issuer, names, date, or OpenSSL's words; printable. Of someone whom we
  // do not trust.
  std::string detail;
};

// One handshake, without a client certificate; nothing is sent after it. The CA is that of `properties`
// (ssl.ca.location or ssl.ca.pem), else this machine's. Blocks for at most `timeout_ms`, but for the resolver. Any
// thread.
Peer LookAtPeer(const std::string& host, const std::string& port, const Properties& properties, int timeout_ms);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_PEER_H_

// Why a broker and we do not come together, in a sentence for people: what was refused, by whom, and which client
// property to look at. The client library gives words of its own, which are read here, and where they leave causes
// together that a person must tell apart, the peer itself is looked at (peer.h).
#ifndef ST_LIB_KAFKA_REFUSAL_H_
#define ST_LIB_KAFKA_REFUSAL_H_

#include <string>
#include <string_view>

#include "lib/kafka/peer.h"
#include "lib/kafka/properties.h"

namespace st::kafka {

enum class Refusal {
  kNone,               // none that we know: the library's own words say what there is to say
  kCertificate,        // we do not accept the broker's certificate
  kClientCertificate,  // the broker does not accept ours, or that there is none
  kCredentials,        // a wrong password or an unknown user: a broker never says which
  kMechanism,          // not this SASL mechanism
  kNoSasl,             // no SASL on that port
  kNoTls,              // no TLS on that port, it seems
  kClosed,             // it closed the connection, without a word
};

struct Complaint {
  Refusal refusal = Refusal::kNone;
  std::string host, port;  // empty when the words do not name the broker
  std::string mechanisms;  // those that the broker takes, when it says so
};

// Reads the words of librdkafka (seen with 2.14.2; they come from its rdkafka_ssl.c, rdkafka_sasl.c and
// rdkafka_broker.c), such as "ssl://h:9093/bootstrap: SSL handshake failed: ...". Pure.
Complaint ReadComplaint(std::string_view words);

// False when the words may be about a broker that is just starting or stopping: only a look at it tells.
bool NeedsLook(Refusal refusal);

struct Explanation {
  std::string sentence;   // empty: nothing is known beyond the library's words
  bool is_final = false;  // trying again is pointless: someone must change a setting
};

// `peer`: what a look showed, null when nobody looked. No value of a property but the protocol and the mechanism is
// quoted. Pure.
Explanation Explain(const Complaint& complaint, const Properties& properties, const Peer* peer);

// ReadComplaint, a look when it is needed (up to 3 s), and Explain.
Explanation ExplainTrouble(std::string_view words, const Properties& properties);

// Why the library would not even make a client: the words that rd_kafka_new gives ("ssl.key.location failed: ..."), as
// a sentence that says what to look at; unchanged when it is about nothing that we know. Pure.
std::string ExplainSettings(std::string_view words);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_REFUSAL_H_

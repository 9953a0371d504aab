#include "lib/kafka/peer.h"

#include <fcntl.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"

namespace st::kafka {
namespace {

constexpr size_t kMaxDetailBytes = 200;

template <typename T, auto release>
struct Release {
  void operator()(T* object) const { release(object); }
};
template <typename T, auto release>
using Owned = std::unique_ptr<T, Release<T, release>>;

using Bio = Owned<BIO, BIO_free_all>;
using Context = Owned<SSL_CTX, SSL_CTX_free>;
using Session = Owned<SSL, SSL_free>;
using Certificate = Owned<X509, X509_free>;

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

class Deadline {
 public:
  explicit Deadline(int ms) : end_(std::chrono::steady_clock::now() + std::chrono::milliseconds(ms)) {}
  // False when the time is over first.
  bool Await(int fd, short events) const {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - std::chrono::steady_clock::now()).count();
    pollfd wanted = {fd, events, 0};
    return left > 0 && poll(&wanted, 1, static_cast<int>(left)) == 1;
  }

 private:
  std::chrono::steady_clock::time_point end_;
};

std::unique_ptr<Socket> Connect(const std::string& host, const std::string& port, const Deadline& deadline) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return nullptr;
  const Owned<addrinfo, freeaddrinfo> addresses(found);
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    auto made = std::make_unique<Socket>(socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (made->fd() < 0) continue;
    int error = connect(made->fd(), one->ai_addr, one->ai_addrlen) == 0 ? 0 : errno;
    socklen_t size = sizeof(error);
    if (error == EINPROGRESS && deadline.Await(made->fd(), POLLOUT)) {
      getsockopt(made->fd(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error == 0) return made;
  }
  return nullptr;
}

std::string Text(const X509_NAME* name) {
  const Bio out(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(out.get(), name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(out.get(), &bytes);
  return {bytes, static_cast<size_t>(size)};
}

std::string Text(const ASN1_TIME* time) {
  std::tm parts{};
  std::array<char, 32> text{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown time";
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

// The hosts that a certificate is for; its subject when it names none.
std::string Names(const X509* certificate) {
  std::string names;
  auto* all = static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(all); ++i) {
    const Bio out(BIO_new(BIO_s_mem()));
    GENERAL_NAME_print(out.get(), sk_GENERAL_NAME_value(all, i));
    char* bytes = nullptr;
    const long size = BIO_get_mem_data(out.get(), &bytes);
    absl::StrAppend(&names, names.empty() ? "" : ", ", std::string_view(bytes, static_cast<size_t>(size)));
  }
  GENERAL_NAMES_free(all);
  return names.empty() ? Text(X509_get_subject_name(certificate)) : names;
}

Peer ToPeer(int error, const X509* certificate) {
  switch (error) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return {Peer::Kind::kOtherHost, Names(certificate)};
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return {Peer::Kind::kExpired, Text(X509_get0_notAfter(certificate))};
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return {Peer::Kind::kNotYetValid, Text(X509_get0_notBefore(certificate))};
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return {Peer::Kind::kUnknownIssuer, Text(X509_get_issuer_name(certificate))};
    default:
      return {Peer::Kind::kUnfit, X509_verify_cert_error_string(error)};
  }
}

// The first fault of a chain, which is the one that says most; the handshake goes on.
int NoteFault(int is_good, X509_STORE_CTX* store) {
  auto* session = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* fault = static_cast<std::optional<Peer>*>(SSL_get_app_data(session));
  if (is_good == 0 && !fault->has_value()) {
    *fault = ToPeer(X509_STORE_CTX_get_error(store), X509_STORE_CTX_get_current_cert(store));
  }
  return 1;
}

void Trust(const Properties& properties, SSL_CTX* context) {
  for (const auto& [name, value] : properties) {
    if (name == "ssl.ca.location") {
      if (SSL_CTX_load_verify_file(context, value.c_str()) != 1) SSL_CTX_load_verify_dir(context, value.c_str());
      return;
    }
    if (name != "ssl.ca.pem") continue;
    const Bio text(BIO_new_mem_buf(value.data(), static_cast<int>(value.size())));
    while (const Certificate one{PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr)}) {
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one.get());
    }
    return;
  }
  SSL_CTX_set_default_verify_paths(context);
}

// Not by a socket BIO: its writes raise SIGPIPE.
bool Send(int fd, BIO* from, const Deadline& deadline) {
  std::array<char, 4096> bytes;
  for (int size; (size = BIO_read(from, bytes.data(), bytes.size())) > 0;) {
    for (int sent = 0; sent < size;) {
      const ssize_t now = send(fd, bytes.data() + sent, static_cast<size_t>(size - sent), MSG_NOSIGNAL);
      if (now > 0) sent += static_cast<int>(now);
      if (now < 0 && (errno != EAGAIN || !deadline.Await(fd, POLLOUT))) return false;
    }
  }
  return true;
}

// 0 at the end of the stream, -1 when nothing comes in time.
ssize_t Receive(int fd, BIO* to, const Deadline& deadline) {
  std::array<char, 4096> bytes;
  if (!deadline.Await(fd, POLLIN)) return -1;
  const ssize_t size = recv(fd, bytes.data(), bytes.size(), 0);
  if (size > 0) BIO_write(to, bytes.data(), static_cast<int>(size));
  return size > 0 ? size : 0;
}

void Expect(const std::string& host, SSL* session) {
  X509_VERIFY_PARAM* wanted = SSL_get0_param(session);
  if (X509_VERIFY_PARAM_set1_ip_asc(wanted, host.c_str()) == 1) return;
  X509_VERIFY_PARAM_set1_host(wanted, host.c_str(), host.size());
  SSL_set_tlsext_host_name(session, host.c_str());
}

Peer Handshake(int fd, const std::string& host, const Properties& properties, const Deadline& deadline) {
  const Context context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return {};
  Trust(properties, context.get());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, NoteFault);
  const Session session(SSL_new(context.get()));
  if (session == nullptr) return {};
  std::optional<Peer> fault;
  SSL_set_app_data(session.get(), &fault);
  Expect(host, session.get());
  BIO* in = BIO_new(BIO_s_mem());
  BIO* out = BIO_new(BIO_s_mem());
  SSL_set_bio(session.get(), in, out);  // the session's now
  while (true) {
    const int result = SSL_connect(session.get());
    const int error = SSL_get_error(session.get(), result);
    if (fault.has_value()) return *fault;
    if (result == 1) return {Peer::Kind::kTrusted, {}};
    // A refusal in TLS, such as of a client without a certificate, comes after its certificate was seen.
    if (error != SSL_ERROR_WANT_READ) {
      return {SSL_get0_peer_certificate(session.get()) == nullptr ? Peer::Kind::kNotTls : Peer::Kind::kTrusted, {}};
    }
    if (!Send(fd, out, deadline)) return {Peer::Kind::kNotTls, {}};
    const ssize_t got = Receive(fd, in, deadline);
    if (got <= 0) return {got == 0 ? Peer::Kind::kNotTls : Peer::Kind::kUnreachable, {}};
  }
}

}  // namespace

Peer LookAtPeer(const std::string& host, const std::string& port, const Properties& properties, int timeout_ms) {
  const Deadline deadline(timeout_ms);
  const std::unique_ptr<Socket> socket = Connect(host, port, deadline);
  if (socket == nullptr) return {};
  Peer peer = Handshake(socket->fd(), host, properties, deadline);
  ERR_clear_error();  // of this thread, which the client library's calls use too
  peer.detail = diag::Visible(peer.detail, kMaxDetailBytes);
  return peer;
}

}  // namespace st::kafka

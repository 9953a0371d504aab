#include "lib/state/postgres_connection.h"

#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/clock.h"
#include "lib/diag/diag.h"
#include "lib/state/postgres_settings.h"

namespace st::state {
namespace {

// The server ends a statement of ours earlier than this; one that does not is stopped or cut off.
constexpr int64_t kConnectMs = 10'000;
constexpr int64_t kAnswerMs = 20'000;
constexpr size_t kMaxWords = 600;

struct Meaning {
  absl::StatusCode code;
  std::string_view words;
};

// By SQLSTATE (PostgreSQL's documentation, appendix A).
Meaning MeaningOf(std::string_view state) {
  using enum absl::StatusCode;
  const std::string_view group = state.substr(0, 2);
  if (state == "53100") return {kUnavailable, "the server's disk is full"};
  if (state == "55P03") return {kUnavailable, "another process is using it; try again"};
  if (state == "57014") return {kUnavailable, "it took too long"};
  if (state == "25006") return {kFailedPrecondition, "the server takes no writes"};
  if (state == "42501") return {kFailedPrecondition, "a right is missing"};
  if (state == "42P01" || state == "42703" || state == "3F000") return {kDataLoss, "a table of the store is missing"};
  if (group == "XX") return {kDataLoss, "the server's data is damaged"};
  if (group == "28" || group == "3D") return {kFailedPrecondition, "the server refuses this user or database"};
  if (group == "08" || group == "53" || group == "57" || group == "58" || group == "40") {
    return {kUnavailable, "the server cannot do it now"};
  }
  if (group == "22") return {kInvalidArgument, "the server cannot hold this value"};
  return {kInternal, "the store refused a step of its own"};
}

bool EndsTheSession(std::string_view state) {
  return state == "57P01" || state == "57P02" || state == "57P03" || state == "57P05" || state == "25P03";
}

// One line, and nothing that a terminal would obey.
std::string OneLine(const char* words) {
  return diag::Visible(
      absl::StrReplaceAll(absl::StripAsciiWhitespace(words == nullptr ? "" : words), {{"\n", "; "}, {"\t", " "}}),
      kMaxWords);
}

int64_t Now() { return base::RealClock().MonotonicMs(); }

struct Refusal {
  absl::StatusCode code = absl::StatusCode::kUnavailable;
  std::string_view advice = "";
};

// Of a connection that did not come about, by libpq's words: it keeps no SQLSTATE of one, but the server's own refusals
// begin with FATAL.
Refusal RefusalOf(std::string_view words) {
  const auto says = [words](std::string_view text) { return absl::StrContains(words, text); };
  using enum absl::StatusCode;
  // Whoever answers there is not proven to be the server.
  if (says("certificate verify failed")) {
    return {kUnavailable, "; name the CA that signed the server's certificate with sslrootcert=FILE"};
  }
  if (says("does not match host name")) return {kUnavailable, "; connect by a name that its certificate holds"};
  if (says("root certificate file")) {
    return {kFailedPrecondition, "; name the CA that signed the server's certificate with sslrootcert=FILE"};
  }
  if (says("unsupported startup parameter")) {
    return {kFailedPrecondition,
            " (a connection pooler, through which a lock would not hold; name the server's own address)"};
  }
  for (const std::string_view ours : {"certificate", "does not support SSL", "no password supplied", "pooler"}) {
    if (says(ours)) return {kFailedPrecondition};
  }
  if (!says("FATAL:")) return {};
  for (const std::string_view passing :
       {"starting up", "shutting down", "recovery", "too many", "remaining connection"}) {
    if (says(passing)) return {};
  }
  return {kFailedPrecondition};
}

}  // namespace

Rows::Rows(pg_result* result) : result_(result, &PQclear) {}
int Rows::size() const { return PQntuples(result_.get()); }
std::string Rows::Text(int row, int column) const {
  return std::string(PQgetvalue(result_.get(), row, column), PQgetlength(result_.get(), row, column));
}
uint64_t Rows::Integer(int row, int column) const {
  int64_t number = 0;
  return absl::SimpleAtoi(Text(row, column), &number) ? static_cast<uint64_t>(number) : 0;
}
std::string Rows::Bytes(int row, int column) const {
  size_t size = 0;
  unsigned char* bytes =
      PQunescapeBytea(reinterpret_cast<const unsigned char*>(PQgetvalue(result_.get(), row, column)), &size);
  std::string value(reinterpret_cast<const char*>(bytes), bytes == nullptr ? 0 : size);
  PQfreemem(bytes);
  return value;
}
bool Rows::Bool(int row, int column) const { return Text(row, column) == "t"; }
std::string_view Rows::tag() const { return PQcmdStatus(result_.get()); }

PgConnection::~PgConnection() { PQfinish(handle_); }

absl::StatusOr<std::unique_ptr<PgConnection>> PgConnection::Open(const Dsn& dsn, const std::string& application) {
  std::vector<std::pair<std::string, std::string>> options = dsn.options;
  const auto is_options = [](const auto& option) { return option.first == "options"; };
  const auto theirs = std::find_if(options.begin(), options.end(), is_options);
  // Later ones win, so that ours stand.
  const std::string settings = absl::StrCat(theirs == options.end() ? "" : theirs->second + " ", SessionOptions());
  if (theirs != options.end()) options.erase(theirs);
  options.insert(options.end(), {{"options", settings},
                                 {"application_name", application},
                                 {"client_encoding", "UTF8"},
                                 {"connect_timeout", "10"},
                                 {"tcp_user_timeout", "15000"},
                                 {"keepalives_idle", "5"},
                                 {"keepalives_interval", "5"},
                                 {"keepalives_count", "3"},
                                 {"gssencmode", "disable"}});
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : options) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  std::unique_ptr<PgConnection> connection(new PgConnection(PQconnectStartParams(keywords.data(), values.data(), 0)));
  if (connection->handle_ == nullptr) return absl::ResourceExhaustedError("out of memory for a connection");
  // Notices would go to standard error.
  (void)PQsetNoticeProcessor(
      connection->handle_, [](void*, const char*) {}, nullptr);
  if (absl::Status connected = connection->Connect(Now() + kConnectMs); !connected.ok()) return connected;
  return connection;
}

absl::Status PgConnection::Connect(int64_t deadline) {
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  while (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) {
    if (PQstatus(handle_) == CONNECTION_BAD) break;
    if (!Await(state == PGRES_POLLING_WRITING, deadline)) {
      alive_ = false;
      return absl::UnavailableError("the PostgreSQL server does not answer");
    }
    state = PQconnectPoll(handle_);
  }
  if (PQstatus(handle_) == CONNECTION_OK && PQsetnonblocking(handle_, 1) == 0) {
    where_ = absl::StrCat(PQhost(handle_), ":", PQport(handle_), "/", PQdb(handle_));
    return absl::OkStatus();
  }
  alive_ = false;
  const std::string words = OneLine(PQerrorMessage(handle_));
  const Refusal refusal = RefusalOf(words);
  return absl::Status(refusal.code, absl::StrCat("cannot connect to the PostgreSQL server: ", words, refusal.advice));
}

bool PgConnection::Await(bool write, int64_t deadline) const {
  for (;;) {
    const int64_t left = deadline - Now();
    if (left <= 0) return false;
    pollfd socket = {.fd = PQsocket(handle_), .events = static_cast<short>(write ? POLLOUT : POLLIN), .revents = 0};
    if (poll(&socket, 1, static_cast<int>(left)) > 0) return true;
  }
}

absl::Status PgConnection::Ended(std::string_view what) {
  alive_ = false;
  return absl::UnavailableError(
      absl::StrCat(where_, ": the connection to the PostgreSQL server ", what, ": ", OneLine(PQerrorMessage(handle_))));
}

absl::StatusOr<Rows> PgConnection::Run(const std::string& sql, const std::vector<SqlValue>& values) {
  if (!alive_) return absl::UnavailableError(absl::StrCat(where_, ": the connection to the PostgreSQL server ended"));
  std::vector<const char*> texts;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const SqlValue& value : values) {
    texts.push_back(value.null() ? nullptr : value.value().c_str());
    lengths.push_back(static_cast<int>(value.value().size()));
    formats.push_back(value.binary() ? 1 : 0);
    // As text it would end there.
    if (!value.binary() && value.value().find('\0') != std::string::npos) {
      return absl::InvalidArgumentError("a text for the state store holds a NUL");
    }
  }
  const int64_t deadline = Now() + kAnswerMs;
  if (PQsendQueryParams(handle_, sql.c_str(), static_cast<int>(values.size()), nullptr, texts.data(), lengths.data(),
                        formats.data(), 0) != 1) {
    return Ended("was lost");
  }
  absl::StatusOr<pg_result*> answer = Answer(deadline);
  if (!answer.ok()) return answer.status();
  Rows rows(*answer);
  const ExecStatusType status = PQresultStatus(*answer);
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return rows;
  const char* field = PQresultErrorField(*answer, PG_DIAG_SQLSTATE);
  const std::string_view state = field == nullptr ? "" : field;
  if (PQstatus(handle_) == CONNECTION_BAD || EndsTheSession(state)) return Ended("was lost");
  const Meaning meaning = MeaningOf(state);
  return absl::Status(meaning.code, absl::StrCat(where_, ": ", meaning.words, " (PostgreSQL: ",
                                                 OneLine(PQresultErrorField(*answer, PG_DIAG_MESSAGE_PRIMARY)), ")"));
}

// The last result of the statement; with an error there is none after it.
absl::StatusOr<pg_result*> PgConnection::Answer(int64_t deadline) {
  for (;;) {
    const int left = PQflush(handle_);
    if (left < 0) return Ended("was lost");
    if (left == 0) break;
    // The server may have to say something before it takes more.
    pollfd socket = {.fd = PQsocket(handle_), .events = POLLIN | POLLOUT, .revents = 0};
    const int64_t wait = deadline - Now();
    if (wait <= 0 || poll(&socket, 1, static_cast<int>(wait)) == 0) return Ended("takes nothing");
    if ((socket.revents & POLLIN) != 0 && PQconsumeInput(handle_) != 1) return Ended("was lost");
  }
  pg_result* last = nullptr;
  for (;;) {
    while (PQisBusy(handle_) != 0) {
      if (!Await(/*write=*/false, deadline)) {
        PQclear(last);
        return Ended("gives no answer");
      }
      if (PQconsumeInput(handle_) != 1) {
        PQclear(last);
        return Ended("was lost");
      }
    }
    pg_result* next = PQgetResult(handle_);
    if (next == nullptr) break;
    PQclear(last);
    last = next;
  }
  if (last == nullptr) return Ended("was lost");
  return last;
}

int PgConnection::backend_pid() const { return PQbackendPID(handle_); }
int PgConnection::server_version() const { return PQserverVersion(handle_); }
bool PgConnection::encrypted() const { return PQsslInUse(handle_) != 0; }
bool PgConnection::local_socket() const {
  const char* host = PQhost(handle_);
  return host != nullptr && host[0] == '/';
}

}  // namespace st::state

// Reads and strictly validates declarations: a folder, a file or a document becomes one st.v1.Project, with the
// place of every value. Checks form only (keys, types, names, variables); meaning is lib/topology's.
#ifndef ST_LIB_PROJECT_PROJECT_H_
#define ST_LIB_PROJECT_PROJECT_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lib/diag/diag.h"

namespace google::protobuf {
class Message;
}
namespace st::v1 {
class Project;
}

namespace st::project {

// Looks a process environment variable up; nullopt when unset. Injected, so that loading is testable.
using Environment = std::function<std::optional<std::string>(std::string_view)>;
Environment ProcessEnvironment();

// ${VAR} in the order of the contract: the environment, then `.env.<env>`, then `.env` in `folder`.
class Variables {
 public:
  // A missing .env file is no error; a malformed one is a diagnostic.
  static Variables Load(const std::string& folder, std::string_view environment, const Environment& process,
                        diag::Diagnostics* diagnostics);
  std::optional<std::string> Get(std::string_view name) const;
  // The places that Get looks into, for messages: `the environment, .env.dev, .env`.
  std::string_view where() const;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

// Where the values of a Project stand in the files. Moves with the Project; cheap to copy; any thread.
class Positions {
 public:
  // The place of `field` of `message` (and of its `index`-th element, when repeated), else of the nearest enclosing
  // value that has one. `message` must be a part of the Project that was loaded with these positions.
  diag::Position Of(const google::protobuf::Message& message, std::string_view field = {}, int index = -1) const;
  // Whether that value came from a ${VAR}: then no message may quote it.
  bool FromVariable(const google::protobuf::Message& message, std::string_view field, int index = -1) const;
  // Whether the field was written at all, if with a wrong value: that has its finding, and it is not missing.
  bool IsWritten(const google::protobuf::Message& message, std::string_view field) const;
  // For SQL: the place in its file of byte `offset` of the statement in `message`'s field `sql` (or in its sql_file).
  // Where a YAML scalar is folded or escaped: the scalar's start, and `note` says the line and column inside.
  diag::Position InSql(const google::protobuf::Message& model, size_t offset, std::string* note) const;

  struct Impl;
  explicit Positions(std::shared_ptr<Impl> impl);
  Positions() = default;

 private:
  std::shared_ptr<Impl> impl_;
};

// One project read for one environment: overrides applied, variables expanded, `sql_file`s read into `sql`
// (without a byte-order mark, CR LF as LF), `environment.protected` taken over into `safety.protected`.
//
// Without an error, each of these holds, and lib/topology need not look again: the names of `project`, sources,
// models, exposures, tests and columns keep their rules; within one list of columns names and members are unique;
// what must be said is said (a source's topic; the types of columns but a SQL model's; a SQL model's executor, and
// then runtime.runner's host and initial_offset; an exposure's type; a test's model and rows); texts with a closed
// set of values have one of them; numbers are in their bounds; a reference names exactly one thing; a model has SQL
// or `materialized: topic`; sasl_password, ssl_key_pem and ssl_key_password are `${VAR}`, and sasl_username is either
// that or a literal; names, references and SQL hold no value of a variable.
// Not looked at here: whether what a name refers to exists, names used twice, names of topics on the broker, patterns.
struct Loaded {
  std::shared_ptr<const v1::Project> project;
  Positions positions;
  std::string environment;  // `default` without environments/
  std::string folder;       // of the project; empty for standard input
  // False when a file could not be read to its end: a name that nobody declares may stand there.
  bool complete = true;
};

// `path`: a project folder, a single .yml/.yaml/.textproto file, or `-` with `stdin_text`. `environment` is the
// value of --env (empty: the only one). All findings go to `diagnostics`; the result is absent only when nothing
// could be read at all, or when it is not clear for which environment.
std::optional<Loaded> Load(const std::string& path, std::string_view stdin_text, std::string_view environment,
                           const Environment& process, diag::Diagnostics* diagnostics);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_PROJECT_H_

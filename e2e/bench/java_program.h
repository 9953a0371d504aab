// The Java contenders: compiled from e2e/bench/java against the jars that set-up got with Kafka. A failure ends the
// program with what the compiler said.
#ifndef ST_E2E_BENCH_JAVA_PROGRAM_H_
#define ST_E2E_BENCH_JAVA_PROGRAM_H_

#include <string>
#include <vector>

namespace st::e2e::bench {

enum class Machine {
  kDefault,  // as Java starts by itself
  kTuned,    // a fixed heap and the collector for throughput
  kHurried,  // no second compiler: for runs that are over before it would pay
};

class JavaProgram {
 public:
  // Compiles into `folder`.
  explicit JavaProgram(const std::string& folder);

  // The command line of a class with a main.
  std::vector<std::string> Command(const std::string& main_class, Machine machine,
                                   const std::vector<std::string>& arguments) const;
  static std::vector<std::string> OptionsOf(Machine machine);
  // Of the client, Streams and Jackson, as their jars are named.
  const std::vector<std::string>& jars() const { return jars_; }

 private:
  std::vector<std::string> jars_;
  std::string class_path_;
};

// "4.3.1"
std::string KafkaVersion();
// The first line of `java -version`.
std::string JavaVersion();

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_JAVA_PROGRAM_H_

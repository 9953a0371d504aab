#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <string>
#include <vector>

#include "lib/base/address.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/base/id.h"
#include "schemas/st/v1/diagnostic.pb.h"

namespace st::base {
namespace {

// FIPS 180-4 examples, and the empty text.
constexpr char kEmpty[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr char kAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kTwoBlocks[] = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1";

TEST(Digest, KnownAnswers) {
  EXPECT_EQ(Sha256Hex(""), kEmpty);
  EXPECT_EQ(Sha256Hex("abc"), kAbc);
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"), kTwoBlocks);
}

TEST(Digest, PiecesGiveTheSameAsTheWhole) {
  Sha256 sha;
  sha.Update("a");
  sha.Update("");
  sha.Update("bc");
  EXPECT_EQ(sha.Hex(), kAbc);
}

TEST(Digest, ChecksumIsOfTheSerializedMessage) {
  v1::Diagnostics message;
  EXPECT_EQ(Checksum(message), kEmpty);
  message.add_diagnostics()->set_line(300);
  EXPECT_EQ(DeterministicBytes(message), std::string("\x0a\x03\x18\xac\x02", 5));
  EXPECT_EQ(Checksum(message), Sha256Hex(std::string("\x0a\x03\x18\xac\x02", 5)));
}

TEST(Digest, ChecksumWithoutAFieldIsThatOfTheMessageWhereItIsCleared) {
  v1::Diagnostic message;
  message.set_file("a file");
  message.set_line(300);
  message.set_text("text");
  message.set_hint("hint");
  const std::string expected = Checksum(message);
  EXPECT_EQ(ChecksumWithout(v1::Diagnostic::kCodeFieldNumber, message), expected);
  message.set_code(std::string(1000, 'x'));
  EXPECT_NE(Checksum(message), expected);
  EXPECT_EQ(ChecksumWithout(v1::Diagnostic::kCodeFieldNumber, message), expected);
  EXPECT_NE(ChecksumWithout(v1::Diagnostic::kTextFieldNumber, message), expected);
}

TEST(Clock, Rfc3339) {
  const struct {
    int64_t ms;
    const char* text;
  } kCases[] = {
      {0, "1970-01-01T00:00:00Z"},
      {999, "1970-01-01T00:00:00Z"},
      {-1, "1969-12-31T23:59:59Z"},
      {-1000, "1969-12-31T23:59:59Z"},
      {951'782'400'000, "2000-02-29T00:00:00Z"},
      {1'795'974'621'999, "2026-11-29T17:50:21Z"},
      {253'402'300'800'000, "10000-01-01T00:00:00Z"},
  };
  for (const auto& c : kCases) EXPECT_STREQ(FormatRfc3339(c.ms).text, c.text) << c.ms;
  for (int64_t extreme : {std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    EXPECT_LT(std::string(FormatRfc3339(extreme).text).size(), sizeof(Rfc3339));
  }
}

TEST(Clock, RealOneMovesForward) {
  Clock& clock = RealClock();
  EXPECT_GT(clock.NowMs(), 1'700'000'000'000);
  const int64_t before = clock.MonotonicMs();
  clock.SleepMs(2);
  EXPECT_GE(clock.MonotonicMs(), before + 1);
  clock.SleepMs(0);
  clock.SleepMs(-5);
}

TEST(Id, UuidsAreRandomVersion4) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string id = NewUuid();
    EXPECT_TRUE(IsUuid(id)) << id;
    EXPECT_EQ(id[14], '4') << id;
    EXPECT_NE(std::string("89ab").find(id[19]), std::string::npos) << id;
    seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 100u);
}

TEST(Id, IsUuid) {
  EXPECT_TRUE(IsUuid("01234567-89ab-cdef-0123-456789abcdef"));
  for (const char* bad : {"", "01234567-89AB-cdef-0123-456789abcdef", "01234567089ab-cdef-0123-456789abcdef",
                          "01234567-89ab-cdef-0123-456789abcde", "01234567-89ab-cdef-0123-456789abcdeff",
                          "01234567-89ab-cdef-0123-456789abcdeg", "0123456--89ab-cdef-0123-456789abcdef"}) {
    EXPECT_FALSE(IsUuid(bad)) << bad;
  }
}

TEST(Id, Names) {
  EXPECT_EQ(Resource("shop", "default", "topic", "orders"), "st://shop/default/topic/orders");
  EXPECT_EQ(ApplicationId("shop", "prod", "large_orders"), "st.shop.prod.large_orders");
  EXPECT_EQ(Version(), "0.1.0");
  const std::string who = WhoAmI();
  const size_t at = who.find('@');
  ASSERT_NE(at, std::string::npos);
  EXPECT_GT(at, 0u);
  EXPECT_LT(at + 1, who.size());
}

TEST(Id, EditDistance) {
  const struct {
    const char *a, *b;
    int distance;
  } kCases[] = {{"", "", 0},
                {"", "abc", 3},
                {"abc", "", 3},
                {"abc", "abc", 0},
                {"abc", "abd", 1},
                {"abc", "ab", 1},
                {"abc", "xabc", 1},
                {"abc", "acb", 1},
                {"ca", "abc", 3},
                {"kitten", "sitting", 3},
                {"sources", "suorces", 1},
                {"abcd", "badc", 2}};
  for (const auto& c : kCases) {
    EXPECT_EQ(EditDistance(c.a, c.b), c.distance) << c.a << " " << c.b;
    EXPECT_EQ(EditDistance(c.b, c.a), c.distance) << c.b << " " << c.a;
  }
}

TEST(Id, Nearest) {
  const std::vector<std::string> names = {"orders", "order", "payments", "id"};
  EXPECT_EQ(Nearest("ordres", names), "orders");
  EXPECT_EQ(Nearest("orderx", names), "orders") << "a tie goes to the first";
  EXPECT_EQ(Nearest("order", names), "order");
  EXPECT_EQ(Nearest("paiments", names), "payments");
  EXPECT_EQ(Nearest("is", names), "id");
  EXPECT_EQ(Nearest("xy", names), "");
  const std::vector<std::string> nine = {"abcdefghi"};
  EXPECT_EQ(Nearest("xyzdefghi", nine), "abcdefghi") << "3 of 9";
  EXPECT_EQ(Nearest("xyzwefghi", nine), "") << "4 of 9";
  EXPECT_EQ(Nearest("", names), "");
  EXPECT_EQ(Nearest("a", std::vector<std::string>{"b"}), "") << "nothing in common";
  EXPECT_EQ(Nearest(std::string(1'000'000, 'a'), std::vector<std::string>{std::string(1'000'000, 'a')}), "");
  EXPECT_EQ(Nearest("x", std::vector<std::string>{}), "");
}

TEST(Address, HostAndPort) {
  for (const char* good : {"a:1", "kafka-1.example_x.org:65535", "127.0.0.1:9092", "[::1]:9092", "[fe80::1%2]:1"}) {
    EXPECT_TRUE(IsHostPort(good)) << good;
    EXPECT_TRUE(IsHostPortList(std::string("b:2 , ") + good)) << good;
  }
  for (const char* bad : {"", ":1", "a", "a:", "a:0", "a:65536", "a:99999", "a:100000", "a:4294967297", "a:1x", "a: 1",
                          "a:-1", "a b:1", "http://a:1", "::1:9092", "[]:1", "[::1:1", "[::1]"}) {
    EXPECT_FALSE(IsHostPort(bad)) << bad;
    EXPECT_FALSE(IsHostPortList(std::string("b:2,") + bad)) << bad;
  }
}

}  // namespace
}  // namespace st::base

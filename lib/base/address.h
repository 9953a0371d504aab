// Addresses of brokers as people write them. Pure; any thread.
#ifndef ST_LIB_BASE_ADDRESS_H_
#define ST_LIB_BASE_ADDRESS_H_

#include <string_view>

namespace st::base {

// host:port with a port from 1 to 65535; an IPv6 address stands in brackets. The client library itself takes any digits
// for a port, of which it uses the lowest 16 bits, and connects to port 9092 where there are none.
bool IsHostPort(std::string_view text);

// One IsHostPort or several with commas between them; blanks around each are allowed.
bool IsHostPortList(std::string_view text);

}  // namespace st::base

#endif  // ST_LIB_BASE_ADDRESS_H_

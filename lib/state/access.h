// What a store is opened for.
#ifndef ST_LIB_STATE_ACCESS_H_
#define ST_LIB_STATE_ACCESS_H_

namespace st::state {

enum class Access {
  kReadOnly,   // a store that does not exist yet reads as empty and is not made; needs no right to write
  kReadWrite,  // made when missing: a file 0600, folders that are missing 0700; a schema in one transaction
};

}  // namespace st::state

#endif  // ST_LIB_STATE_ACCESS_H_

// What ThreadSanitizer may not report; linked into every test, looked for by its runtime alone.
//
// librdkafka is compiled without instrumentation, so its reference counts synchronise nothing that the sanitizer sees:
// the last owner's destruction of a lock looks like a race with the others' use of it before they let go.
extern "C" const char* __tsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): the runtime's name
extern "C" const char* __tsan_default_suppressions() { return "race:rwlock_destroy\n"; }

# Sourced by the scripts in tools/dev: how they speak, and where their cache is.
# shellcheck shell=bash

quiet=${quiet:-0}

say() {
  (( quiet )) || printf '%s: %s\n' "${0##*/}" "$*" >&2
}

warn() {
  printf '%s: warning: %s\n' "${0##*/}" "$*" >&2
}

die() {
  printf '%s: error: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# Every checkout shares it, and tools/bazel/repos.bzl looks in the same place.
cache=${ST_CACHE:-${XDG_CACHE_HOME:-${HOME:?is not set: it is where the cache goes}/.cache}/st}
[[ $cache == /* ]] || die "ST_CACHE must be an absolute path, not '$cache'"

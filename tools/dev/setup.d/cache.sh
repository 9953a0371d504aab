# Sourced by the scripts of tools/dev: the folder that every checkout shares. tools/bazel/repos.bzl looks there too.
# shellcheck shell=bash disable=SC2034  # the names are for those who source this

cache=${ST_CACHE:-${XDG_CACHE_HOME:-${HOME:?is where the cache goes, and it is not set}/.cache}/st}
[[ $cache == /* ]] || die "ST_CACHE must be an absolute path, not '$cache'"

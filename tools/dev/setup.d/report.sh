# Sourced by the scripts of tools/dev: how they speak.
# shellcheck shell=bash

say() {
  (( ${quiet:-0} )) || printf '%s: %s\n' "${0##*/}" "$*" >&2
}

warn() {
  printf '%s: warning: %s\n' "${0##*/}" "$*" >&2
}

die() {
  printf '%s: error: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

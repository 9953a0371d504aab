# Sourced by tools/dev/setup: the distribution's packages.
# shellcheck shell=bash disable=SC2154  # $root is the caller's

missing_packages() {
  local package program installed
  installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' | awk '$2 == "installed" { print $1 }')
  while read -r package program; do
    [[ $package && $package != '#'* ]] || continue
    [[ $program && $(type -P "$program") ]] || grep -qxF "$package" <<< "$installed" || echo "$package"
  done < "$root/tools/dev/setup.d/packages.txt"
}

# While this file stands, no package starts its service: tests start what they need, and where there is no systemd a
# service that cannot start would fail the installation. A policy that the machine has already is left alone.
policy=/usr/sbin/policy-rc.d

forbid_services() {
  [[ ! -e $policy ]] || return 0
  printf '#!/bin/sh\n# Made by tools/dev/setup for as long as it installs packages.\nexit 101\n' > "$policy"
  chmod 755 "$policy"
}

allow_services() {
  ! grep -q '^# Made by tools/dev/setup' "$policy" 2> /dev/null || rm -f "$policy"
}

provide_packages() {
  local missing log
  mapfile -t missing < <(missing_packages)
  (( ${#missing[@]} )) || return 0
  (( EUID == 0 )) || die "these packages are missing, and only root can install them: apt-get install ${missing[*]}"
  say "installing ${missing[*]}"
  log=$(mktemp)
  trap allow_services EXIT
  # One that is left of ours was left by a set-up that was killed.
  allow_services
  forbid_services
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q update > "$log" 2>&1 || die "apt-get update failed: $(grep -m 1 '^E:' "$log")"
  apt-get -q -y -o DPkg::Lock::Timeout=600 install --no-install-recommends "${missing[@]}" > "$log" 2>&1 < /dev/null ||
    die "apt-get install failed: $(grep -m 1 '^E:' "$log") (all of it: $log)"
  rm -f "$log"
  allow_services
  trap - EXIT
}

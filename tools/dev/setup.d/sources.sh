# Sourced by tools/dev/setup: upstream sources from newer suites of the distribution's signed archive.
# shellcheck shell=bash disable=SC2154  # $root and $cache are the caller's

# The archive that this machine already uses. apt knows it, whatever its sources are written in.
archive_uri() {
  # shellcheck disable=SC2016  # the dollar sign is apt's
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null |
    head -n 1
}

# apt with one suite of source packages and nothing of the machine's own lists.
suite_apt() {  # work-folder command...
  local work=$1 command=$2
  shift 2
  "$command" -q -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
    -o Dir::State::lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}

# Puts the upstream tarball into the work folder and prints its path; false when the suite has it no longer.
download_source() {  # work-folder package suite digest
  local work=$1 package=$2 suite=$3 digest=$4 version tarball
  mkdir -p "$work/lists/partial" "$work/cache" "$work/download"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive $suite main" > "$work/sources.list"
  suite_apt "$work" apt-get update -o APT::Update::Error-Mode=any > "$work/log" 2>&1 || return 1
  version=$(suite_apt "$work" apt-cache showsrc "$package" | awk -v digest="$digest" '
    /^Version:/ { version = $2 }
    $1 == digest && $3 ~ /[.]orig[.]tar[.]/ { print version; exit }')
  [[ $version ]] || return 1
  (cd "$work/download" &&
    suite_apt "$work" apt-get source --download-only --only-source "$package=$version") > "$work/log" 2>&1 || return 1
  tarball=$(echo "$work"/download/*.orig.tar.*[!c])
  [[ $(sha256sum "$tarball") == "$digest "* ]] || return 1
  echo "$tarball"
}

# The upstream source, with our patch, in work-folder/source; false when the suite has it no longer.
open_source() {  # work-folder package version suite digest patch
  local work=$1 package=$2 version=$3 patch=$6 tarball
  say "getting the source of $package $version from $4"
  tarball=$(download_source "$work" "$package" "$4" "$5") || return 1
  mkdir "$work/source"
  tar -xf "$tarball" -C "$work/source" --strip-components=1
  [[ $patch ]] || return 0
  patch --quiet -p1 -d "$work/source" < "$root/tools/dev/setup.d/$package-$patch.patch" > "$work/log" 2>&1 ||
    die "$package-$patch.patch does not fit $package $version: $(tail -n 1 "$work/log")"
}

# Makes $cache/<package>-<version>[-<patch>] with `recipe source-folder target-folder`, for the first accepted version that
# can be had. A folder gets its name only when it is whole; its LICENSE is what packages are told of it.
provide_source() {  # package recipe
  local package=$1 recipe=$2 rows newest version suite digest patch work archive reason target
  rows=$(awk -v package="$package" '$1 == package { print $2, $3, $4, $5 }' "$root/tools/bazel/sources.txt")
  newest=${rows%% *}
  while read -r version _ _ patch; do
    [[ -e $cache/$package-$version${patch:+-$patch}/LICENSE ]] && return 0
  done <<< "$rows"

  archive=$(archive_uri)
  [[ $archive ]] || die "apt knows no Debian archive to get $package from: run apt-get update"
  while read -r version suite digest patch; do
    work=$(mktemp -d "$cache/tmp.XXXXXX")
    if open_source "$work" "$package" "$version" "$suite" "$digest" "$patch"; then
      say "preparing $package $version"
      ("$recipe" "$work/source" "$work/target") > "$work/log" 2>&1 ||
        die "$package $version cannot be built: $(tail -n 1 "$work/log") (all of it: $work/log)"
      target=$cache/$package-$version${patch:+-$patch}
      rm -rf "$target"
      mv "$work/target" "$target"
      rm -rf "$work"
      [[ $version == "$newest" ]] || warn "$package $version is older than we want: good for tests, not for packages"
      return 0
    fi
    reason=$(grep -m 1 -E '^[EW]:' "$work/log") || reason="that version is not there"
    say "not from $suite: $reason"
    rm -rf "$work"
  done <<< "$rows"
  die "no accepted version of $package (tools/bazel/sources.txt) can be had from the Debian archive"
}

# Bazel compiles it, with the flags of each configuration.
keep_source() {  # source-folder target-folder
  mv "$1" "$2"
}

# Beside the client library the same for ThreadSanitizer, which has to see what the library's own atomics order: without
# that, whoever lets go of something last seems to race with those who used it before.
provide_tsan_librdkafka() {
  local version suite digest patch work archive folder
  while read -r version suite digest patch; do
    folder=$cache/librdkafka-$version${patch:+-$patch}
    [[ ! -e $folder/lib/librdkafka-tsan.a ]] || return 0
    [[ -e $folder/LICENSE ]] || continue
    archive=$(archive_uri)
    work=$(mktemp -d "$cache/tmp.XXXXXX")
    open_source "$work" librdkafka "$version" "$suite" "$digest" "$patch" || continue
    say "preparing librdkafka $version for ThreadSanitizer"
    (make_tsan_librdkafka "$work/source" "$folder/lib") > "$work/log" 2>&1 ||
      die "librdkafka cannot be built with ThreadSanitizer: $(tail -n 1 "$work/log") (all of it: $work/log)"
    rm -rf "$work"
    return 0
  done < <(awk '$1 == "librdkafka" { print $2, $3, $4, $5 }' "$root/tools/bazel/sources.txt")
  die "the source of librdkafka cannot be had from the Debian archive"
}

make_tsan_librdkafka() {  # source-folder target-folder
  cd "$1" &&
    CC=clang-14 CXX=clang++-14 CFLAGS="-fsanitize=thread -O1 -g -fno-omit-frame-pointer" LDFLAGS=-fsanitize=thread \
      ./configure --enable-static --disable-gssapi --disable-curl --disable-c11threads &&
    make -C src -j"$(nproc)" librdkafka.a &&
    install -m 644 src/librdkafka.a "$2/librdkafka-tsan.tmp" &&
    mv "$2/librdkafka-tsan.tmp" "$2/librdkafka-tsan.a"
}

# Without libsasl2 and libcurl, whose dozens of shared libraries every tool would load at its start; on plain
# pthreads, because TSan cannot see the C library's own C11 mutexes.
build_librdkafka() {  # source-folder target-folder
  cd "$1" &&
    ./configure --prefix="$2" --enable-static --disable-gssapi --disable-curl --disable-c11threads \
      --disable-debug-symbols &&
    make -C src -j"$(nproc)" librdkafka.a &&
    install -D -m 644 -t "$2/lib" src/librdkafka.a &&
    install -D -m 644 -t "$2/include/librdkafka" src/rdkafka.h src/rdkafka_mock.h &&
    install -D -m 644 LICENSES.txt "$2/LICENSE"
}

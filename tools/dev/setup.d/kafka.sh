# Sourced by tools/dev/setup: a Kafka to test against.
# shellcheck shell=bash disable=SC2154  # $root and $cache are the caller's

# Maven's own repository goes with the work folder: the jars are all that we keep of it.
download_jars() {  # work-folder version
  mvn -q -B --strict-checksums -f "$root/tools/dev/setup.d/kafka.pom.xml" -Dkafka.version="$2" \
    -Dmaven.repo.local="$1/repository" dependency:copy-dependencies -DincludeScope=runtime \
    -DoutputDirectory="$1/target/jars" > "$1/log" 2>&1
}

# An archive of loaded classes halves a broker's start. It holds for the jars at the place where it was made, and for
# this Java; without it everything works too.
archive_classes() {  # kafka-folder work-folder
  local broker=$2/broker
  ST_KAFKA_HOME=$1 ST_KAFKA_JAVA="-Xmx256m -XX:+UseSerialGC -XX:ArchiveClassesAtExit=$2/classes.jsa" \
    "$root/tools/dev/kafka" start "$broker" > "$2/log" 2>&1 &&
    "$root/tools/dev/kafka" stop "$broker" &&
    mv "$2/classes.jsa" "$1/classes.jsa"
}

provide_kafka() {
  local target version work
  target=$(ST_KAFKA_HOME='' "$root/tools/dev/kafka" home)
  version=${target##*-}
  if [[ ! -e $target ]]; then
    work=$(mktemp -d "$cache/tmp.XXXXXX")
    say "getting Kafka $version by Maven"
    download_jars "$work" "$version" || die "Maven cannot get Kafka $version: $(grep -m 1 ERROR "$work/log") (all of it: $work/log)"
    mv "$work/target" "$target"
    rm -rf "$work"
  fi
  if [[ ! -e $target/classes.jsa ]]; then
    work=$(mktemp -d "$cache/tmp.XXXXXX")
    say "preparing a fast start of Kafka"
    archive_classes "$target" "$work" || warn "brokers will start slowly: $(tail -n 1 "$work/log")"
    rm -rf "$work"
  fi
  # Does nothing while it is there and made of the same things.
  "$root/tools/dev/kafka-image/make" "$target" "$target" || die "no image of Kafka can be made for containers"
}

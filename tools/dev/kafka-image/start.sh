#!/bin/sh
# What a broker's container runs: writes its settings, formats its folder if that is new, serves. There is nothing but
# this shell and Java in the image. Arguments go to the formatting (such as --add-scram); the environment has
#   KAFKA_NAME         by which other containers know it
#   KAFKA_CLUSTER_ID   of a new folder
#   KAFKA_PROPERTIES   settings beside those here, or in their place
set -euf

read -r host < /etc/hostname
address=''
while read -r first name _; do
  [ "$name" != "$host" ] || address=$first
done < /etc/hosts
[ -n "$address" ] || { echo "no address of $host in /etc/hosts" >&2; exit 1; }

cd /var/lib/kafka
# Who is outside of the network reaches a container by its address, who is inside by its name.
printf '%s\n' "process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:9093
listeners=OUTSIDE://0.0.0.0:9092,INSIDE://0.0.0.0:19092,CONTROLLER://127.0.0.1:9093
advertised.listeners=OUTSIDE://$address:9092,INSIDE://${KAFKA_NAME:-$host}:19092
listener.security.protocol.map=OUTSIDE:PLAINTEXT,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=INSIDE
controller.listener.names=CONTROLLER
log.dirs=/var/lib/kafka/data
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=4000
broker.heartbeat.interval.ms=500
${KAFKA_PROPERTIES:-}" > server.properties

# Words that are split here are not expanded: the star is for Java.
java="/opt/java/bin/java -Xms64m -Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp /opt/kafka/*"
java="$java -Dorg.slf4j.simpleLogger.defaultLogLevel=info"
if [ ! -e data/meta.properties ]; then
  # It prints keys that are made of passwords.
  # shellcheck disable=SC2086
  $java kafka.tools.StorageTool format -t "$KAFKA_CLUSTER_ID" -c server.properties "$@" > /dev/null
fi
# shellcheck disable=SC2086
exec $java kafka.Kafka server.properties

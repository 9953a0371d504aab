import java.util.Map;
import java.util.Properties;

/**
 * Client settings. Those that bear on what is promised are the runner's (docs/runner.md); those for speed were found by
 * measuring, and are printed by the benchmark with all others.
 */
final class Settings {
  private Settings() {}

  /** Of every contender, whatever its tuning. */
  static Properties promisedByConsumers() {
    Properties properties = new Properties();
    properties.put("isolation.level", "read_committed");
    properties.put("check.crcs", "true");
    properties.put("session.timeout.ms", "6000");
    properties.put("heartbeat.interval.ms", "2000");
    return properties;
  }

  static Properties promisedByProducers() {
    Properties properties = new Properties();
    properties.put("acks", "all");
    properties.put("compression.type", "none");
    return properties;
  }

  static Properties fastConsumers() {
    Properties properties = new Properties();
    properties.put("max.poll.records", "10000");
    properties.put("max.partition.fetch.bytes", "1048576");
    properties.put("receive.buffer.bytes", "1048576");
    return properties;
  }

  static Properties fastProducers() {
    Properties properties = new Properties();
    properties.put("linger.ms", "20");
    properties.put("batch.size", "262144");
    properties.put("buffer.memory", "134217728");
    properties.put("send.buffer.bytes", "1048576");
    return properties;
  }

  /** Of the hand-written loop. */
  static Properties consumer(Map<String, String> arguments) {
    Properties properties = new Properties();
    properties.putAll(promisedByConsumers());
    properties.putAll(fastConsumers());
    properties.put("bootstrap.servers", arguments.get("servers"));
    properties.put("group.id", arguments.get("group"));
    properties.put("enable.auto.commit", "false");
    properties.put("auto.offset.reset", "none");
    return properties;
  }

  /** Of the hand-written loop. */
  static Properties producer(Map<String, String> arguments) {
    Properties properties = new Properties();
    properties.putAll(promisedByProducers());
    properties.putAll(fastProducers());
    properties.put("bootstrap.servers", arguments.get("servers"));
    return properties;
  }

  /** Prints who has which settings, for the report: "who: name=value name=value ...". */
  public static void main(String[] words) {
    Properties consumer = promisedByConsumers();
    Properties producer = promisedByProducers();
    print("streams default consumer", consumer);
    print("streams default producer", producer);
    consumer.putAll(fastConsumers());
    producer.putAll(fastProducers());
    print("java loop and streams tuned consumer", consumer);
    print("java loop and streams tuned producer", producer);
  }

  private static void print(String who, Properties properties) {
    StringBuilder line = new StringBuilder(who).append(':');
    for (String name : new java.util.TreeSet<>(properties.stringPropertyNames())) {
      line.append(' ').append(name).append('=').append(properties.getProperty(name));
    }
    System.out.println(line);
  }
}

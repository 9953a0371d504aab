import java.time.Duration;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** The same model as a Kafka Streams job, exactly once. */
final class StreamsJob {
  private static final class ModelProcessor implements Processor<byte[], byte[], byte[], byte[]> {
    private final Model model;
    private ProcessorContext<byte[], byte[]> context;

    ModelProcessor(Plan plan) {
      model = new Model(plan);
    }

    @Override
    public void init(ProcessorContext<byte[], byte[]> given) {
      context = given;
    }

    @Override
    public void process(Record<byte[], byte[]> record) {
      if (record.value() == null) return;
      byte[] value;
      try {
        value = model.apply(record.value());
      } catch (java.io.IOException poison) {
        throw new java.io.UncheckedIOException(poison);
      }
      if (value != null) context.forward(record.withValue(value));
    }
  }

  private static Topology topologyOf(Map<String, String> arguments) {
    Plan plan = new Plan(arguments);
    return new Topology()
        .addSource("input", new ByteArrayDeserializer(), new ByteArrayDeserializer(), arguments.get("input"))
        .addProcessor("model", () -> new ModelProcessor(plan), "input")
        .addSink("output", arguments.get("output"), new ByteArraySerializer(), new ByteArraySerializer(), "model");
  }

  private static Properties settingsOf(Map<String, String> arguments) {
    Properties properties = new Properties();
    properties.put("bootstrap.servers", arguments.get("servers"));
    properties.put("application.id", arguments.get("group"));
    properties.put("processing.guarantee", "exactly_once_v2");
    properties.put("commit.interval.ms", arguments.get("commit.ms"));
    properties.put("num.stream.threads", arguments.get("threads"));
    properties.put("state.dir", arguments.get("state.dir"));
    addAll(properties, "main.consumer.", Settings.promisedByConsumers());
    addAll(properties, "producer.", Settings.promisedByProducers());
    if (!arguments.get("tuned").equals("yes")) return properties;
    properties.put("buffered.records.per.partition", "10000");
    addAll(properties, "main.consumer.", Settings.fastConsumers());
    addAll(properties, "producer.", Settings.fastProducers());
    return properties;
  }

  private static void addAll(Properties properties, String prefix, Properties added) {
    // They are the clients', not the framework's; isolation and acks of exactly_once_v2 cannot be set at all.
    for (String name : added.stringPropertyNames()) {
      if (name.equals("isolation.level") || name.equals("acks")) continue;
      properties.put(prefix + name, added.getProperty(name));
    }
  }

  public static void main(String[] words) throws InterruptedException {
    Map<String, String> arguments = Plan.argumentsOf(words);
    Stop stop = new Stop();
    stop.listen();
    java.util.concurrent.atomic.AtomicInteger code = new java.util.concurrent.atomic.AtomicInteger(0);
    KafkaStreams streams = new KafkaStreams(topologyOf(arguments), new StreamsConfig(settingsOf(arguments)));
    streams.setUncaughtExceptionHandler(failure -> {
      failure.printStackTrace();
      code.set(1);
      stop.ask();
      return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    });
    streams.start();
    stop.await();
    if (!streams.close(Duration.ofSeconds(30))) code.set(1);
    stop.finish(code.get());
  }
}

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Read, transform, write, commit, by hand: one consumer and one transactional producer on one thread, alone in its group.
 * What any of them throws ends the program.
 */
final class TransactionalLoop {
  private final String output;
  private final long commitMs;
  private final Model model;
  private final KafkaConsumer<byte[], byte[]> consumer;
  private final KafkaProducer<byte[], byte[]> producer;
  private boolean open;
  private long openedNanos;

  private TransactionalLoop(Map<String, String> arguments) {
    output = arguments.get("output");
    commitMs = Long.parseLong(arguments.get("commit.ms"));
    model = new Model(new Plan(arguments));
    consumer = new KafkaConsumer<>(Settings.consumer(arguments), new ByteArrayDeserializer(), new ByteArrayDeserializer());
    Properties writing = Settings.producer(arguments);
    writing.put("transactional.id", arguments.get("group"));
    producer = new KafkaProducer<>(writing, new ByteArraySerializer(), new ByteArraySerializer());
    producer.initTransactions();
    consumer.subscribe(java.util.List.of(arguments.get("input")));
  }

  private void run(Stop stop) throws Exception {
    while (!stop.isAsked()) {
      ConsumerRecords<byte[], byte[]> records = consumer.poll(Duration.ofMillis(waitMs()));
      if (!records.isEmpty() && !open) {
        producer.beginTransaction();
        open = true;
        openedNanos = System.nanoTime();
      }
      for (ConsumerRecord<byte[], byte[]> record : records) take(record);
      if (open && waitMs() == 0) commit();
    }
    if (open) commit();
    producer.close();
    consumer.close();
  }

  private long waitMs() {
    if (!open) return 100;
    return Math.max(0, commitMs - (System.nanoTime() - openedNanos) / 1_000_000);
  }

  private void take(ConsumerRecord<byte[], byte[]> record) throws Exception {
    if (record.value() == null) return;
    byte[] value = model.apply(record.value());
    if (value == null) return;
    producer.send(
        new ProducerRecord<>(output, null, record.timestamp(), record.key(), value, record.headers()));
  }

  private void commit() {
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    for (TopicPartition partition : consumer.assignment()) {
      offsets.put(partition, new OffsetAndMetadata(consumer.position(partition)));
    }
    producer.sendOffsetsToTransaction(offsets, consumer.groupMetadata());
    producer.commitTransaction();
    open = false;
  }

  public static void main(String[] words) {
    Stop stop = new Stop();
    stop.listen();
    int code = 1;
    try {
      new TransactionalLoop(Plan.argumentsOf(words)).run(stop);
      code = 0;
    } catch (Exception failure) {
      failure.printStackTrace();
    }
    stop.finish(code);
  }
}

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A plan on values, by Jackson's streaming parser with duplicate detection, and written for speed: no tree, no strings,
 * the members guessed in their declared order. Refuses what docs/records.md calls poison, as far as Jackson sees it
 * (some invalid UTF-8 it does not). One thread.
 */
final class Model {
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .streamReadConstraints(StreamReadConstraints.builder().maxNestingDepth(128).build())
          .build();

  private final Plan plan;
  private final byte[][] leads;
  private final long[] numbers;
  private final int[] textBegins;
  private final int[] textEnds;
  private final JsonBytes texts = new JsonBytes();
  private final JsonBytes output = new JsonBytes();

  Model(Plan plan) {
    this.plan = plan;
    numbers = new long[plan.columns.length];
    textBegins = new int[plan.columns.length];
    textEnds = new int[plan.columns.length];
    leads = new byte[plan.select.length][];
    for (int i = 0; i < leads.length; ++i) {
      String lead = (i == 0 ? "{\"" : ",\"") + plan.columns[plan.select[i]] + "\":";
      leads[i] = lead.getBytes(StandardCharsets.UTF_8);
    }
  }

  /** Null when it is filtered out. An IOException for a poison record. */
  byte[] apply(byte[] value) throws IOException {
    refuseOtherEncodings(value);
    texts.clear();
    long seen = 0;
    try (JsonParser parser = FACTORY.createParser(value)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) throw new IOException("not an object");
      int guess = 0;
      String name;
      while ((name = parser.nextFieldName()) != null) {
        int column = find(name, guess);
        take(column, parser.nextToken(), parser);
        seen |= 1L << column;
        guess = column + 1;
      }
      if (parser.currentToken() != JsonToken.END_OBJECT) throw new IOException("cut off");
      if (parser.nextToken() != null) throw new IOException("trailing data");
    }
    if (seen != (1L << plan.columns.length) - 1) throw new IOException("a missing member");
    return numbers[plan.where] >= plan.least ? encode() : null;
  }

  // Jackson would skip a byte-order mark, and read UTF-16 and UTF-32.
  private static void refuseOtherEncodings(byte[] value) throws IOException {
    if (value.length == 0) throw new IOException("empty");
    for (int i = 0; i < Math.min(value.length, 4); ++i) {
      if (value[i] == 0) throw new IOException("not UTF-8");
    }
    if (value[0] < 0) throw new IOException("not JSON, or a byte-order mark");
  }

  private int find(String name, int guess) throws IOException {
    String[] columns = plan.columns;
    if (guess < columns.length && columns[guess] == name) return guess;
    for (int i = 0; i < columns.length; ++i) {
      if (columns[i].equals(name)) return i;
    }
    throw new IOException("an unknown member");
  }

  private void take(int column, JsonToken token, JsonParser parser) throws IOException {
    switch (plan.types[column]) {
      case BIGINT:
        if (token != JsonToken.VALUE_NUMBER_INT) throw new IOException("not an integer");
        numbers[column] = parser.getLongValue();
        break;
      case BOOLEAN:
        if (token != JsonToken.VALUE_TRUE && token != JsonToken.VALUE_FALSE) throw new IOException("not a boolean");
        numbers[column] = token == JsonToken.VALUE_TRUE ? 1 : 0;
        break;
      default:
        if (token != JsonToken.VALUE_STRING) throw new IOException("not a string");
        textBegins[column] = texts.size();
        texts.appendString(parser.getTextCharacters(), parser.getTextOffset(), parser.getTextLength());
        textEnds[column] = texts.size();
        break;
    }
  }

  private byte[] encode() {
    output.clear();
    for (int i = 0; i < leads.length; ++i) {
      int column = plan.select[i];
      output.append(leads[i]);
      switch (plan.types[column]) {
        case BIGINT:
          output.appendNumber(numbers[column]);
          break;
        case BOOLEAN:
          output.append(numbers[column] == 1 ? TRUE : FALSE);
          break;
        default:
          output.append(texts, textBegins[column], textEnds[column]);
          break;
      }
    }
    output.append('}');
    return output.copy();
  }

  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);
}

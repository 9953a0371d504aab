import java.io.IOException;
import java.util.Arrays;

/** JSON text in the making, in one buffer that is used again. Strings have the one spelling of docs/records.md. */
final class JsonBytes {
  private static final byte[] HEX = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
  private static final int LONGEST_NUMBER = 20;
  private static final int LONGEST_CHARACTER = 6;

  private byte[] bytes = new byte[1024];
  private int size;

  void clear() {
    size = 0;
  }

  int size() {
    return size;
  }

  byte[] copy() {
    return Arrays.copyOf(bytes, size);
  }

  void append(byte[] text) {
    reserve(text.length);
    System.arraycopy(text, 0, bytes, size, text.length);
    size += text.length;
  }

  void append(JsonBytes other, int from, int to) {
    reserve(to - from);
    System.arraycopy(other.bytes, from, bytes, size, to - from);
    size += to - from;
  }

  void append(char c) {
    reserve(1);
    bytes[size++] = (byte) c;
  }

  void appendNumber(long value) {
    reserve(LONGEST_NUMBER);
    if (value == Long.MIN_VALUE) {
      append("-9223372036854775808".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      return;
    }
    if (value < 0) {
      bytes[size++] = '-';
      value = -value;
    }
    int digits = 1;
    for (long rest = value / 10; rest > 0; rest /= 10) ++digits;
    for (int i = size + digits - 1; i >= size; --i) {
      bytes[i] = (byte) ('0' + value % 10);
      value /= 10;
    }
    size += digits;
  }

  /** With quotes. An unpaired surrogate is refused. */
  void appendString(char[] text, int from, int count) throws IOException {
    reserve(LONGEST_CHARACTER * count + 2);
    bytes[size++] = '"';
    for (int i = from; i < from + count; ++i) {
      char c = text[i];
      if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
        bytes[size++] = (byte) c;
      } else if (c < 0x80) {
        appendEscaped(c);
      } else if (Character.isSurrogate(c)) {
        if (Character.isLowSurrogate(c) || i + 1 == from + count || !Character.isLowSurrogate(text[i + 1])) {
          throw new IOException("an unpaired surrogate");
        }
        appendCodePoint(Character.toCodePoint(c, text[++i]));
      } else {
        appendCodePoint(c);
      }
    }
    bytes[size++] = '"';
  }

  private void appendEscaped(char c) {
    int place = "\"\\\b\t\n\f\r".indexOf(c);
    bytes[size++] = '\\';
    if (place >= 0) {
      bytes[size++] = (byte) "\"\\btnfr".charAt(place);
      return;
    }
    bytes[size++] = 'u';
    bytes[size++] = '0';
    bytes[size++] = '0';
    bytes[size++] = HEX[c >> 4];
    bytes[size++] = HEX[c & 15];
  }

  private void appendCodePoint(int c) {
    if (c < 0x800) {
      bytes[size++] = (byte) (0xc0 | c >> 6);
    } else {
      if (c < 0x10000) {
        bytes[size++] = (byte) (0xe0 | c >> 12);
      } else {
        bytes[size++] = (byte) (0xf0 | c >> 18);
        bytes[size++] = (byte) (0x80 | c >> 12 & 0x3f);
      }
      bytes[size++] = (byte) (0x80 | c >> 6 & 0x3f);
    }
    bytes[size++] = (byte) (0x80 | c & 0x3f);
  }

  private void reserve(int count) {
    if (bytes.length - size < count) bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, size + count));
  }
}

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * What the model makes of values, for a test: one value a line in Base64 on standard input; "pass" and its output in Base64,
 * "filtered" or "poison" a line on standard output.
 */
final class Answers {
  public static void main(String[] words) throws IOException {
    Model model = new Model(new Plan(Plan.argumentsOf(words)));
    String values = new String(System.in.readAllBytes(), StandardCharsets.US_ASCII);
    StringBuilder answers = new StringBuilder();
    for (String line : values.split("\n", -1)) {
      try {
        byte[] output = model.apply(Base64.getDecoder().decode(line));
        answers.append(output == null ? "filtered" : "pass " + Base64.getEncoder().encodeToString(output));
      } catch (IOException poison) {
        answers.append("poison");
      }
      answers.append('\n');
    }
    System.out.print(answers);
  }
}

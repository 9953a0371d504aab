import java.util.HashMap;
import java.util.Map;

/** What a contender runs: the columns of a value, those that it selects, and the least value of one that passes. */
final class Plan {
  enum Type { BIGINT, STRING, BOOLEAN }

  final String[] columns;
  final Type[] types;
  final int[] select;
  final int where;
  final long least;

  /** From arguments such as columns=id:bigint,country:string select=country,id where=id least=5. */
  Plan(Map<String, String> arguments) {
    String[] declared = arguments.get("columns").split(",");
    columns = new String[declared.length];
    types = new Type[declared.length];
    for (int i = 0; i < declared.length; ++i) {
      String[] words = declared[i].split(":");
      // Jackson interns names too, so that most are the same object.
      columns[i] = words[0].intern();
      types[i] = Type.valueOf(words[1].toUpperCase(java.util.Locale.ROOT));
    }
    String[] selected = arguments.get("select").split(",");
    select = new int[selected.length];
    for (int i = 0; i < selected.length; ++i) select[i] = indexOf(selected[i]);
    where = indexOf(arguments.get("where"));
    least = Long.parseLong(arguments.get("least"));
    if (columns.length > 63 || types[where] != Type.BIGINT) throw new IllegalArgumentException("not a plan for this");
  }

  private int indexOf(String column) {
    for (int i = 0; i < columns.length; ++i) {
      if (columns[i].equals(column)) return i;
    }
    throw new IllegalArgumentException("no column " + column);
  }

  /** name=value words. */
  static Map<String, String> argumentsOf(String[] words) {
    Map<String, String> arguments = new HashMap<>();
    for (String word : words) {
      int place = word.indexOf('=');
      arguments.put(word.substring(0, place), word.substring(place + 1));
    }
    return arguments;
  }
}

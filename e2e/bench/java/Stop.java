import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** SIGTERM, and an end with the exit code that the program means. */
final class Stop {
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch done = new CountDownLatch(1);
  private final AtomicInteger code = new AtomicInteger(1);

  /** Once, by the main thread. */
  void listen() {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      asked.countDown();
      try {
        done.await();
      } catch (InterruptedException ignored) {
        // The virtual machine ends anyway.
      }
      // Without it the exit code would be that of the signal.
      Runtime.getRuntime().halt(code.get());
    }));
  }

  boolean isAsked() {
    return asked.getCount() == 0;
  }

  void await() throws InterruptedException {
    asked.await();
  }

  /** As if SIGTERM had come. */
  void ask() {
    asked.countDown();
  }

  /** The last that main does. */
  void finish(int exitCode) {
    code.set(exitCode);
    done.countDown();
    System.exit(exitCode);
  }
}

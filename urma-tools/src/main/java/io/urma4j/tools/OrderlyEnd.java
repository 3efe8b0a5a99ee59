package io.urma4j.tools;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns Ctrl-C and SIGTERM into an interrupt of the thread that runs the command, so that every command cleans up by
 * leaving its {@code try} blocks, and none needs a hook of its own. After the timeout the process ends anyway.
 */
final class OrderlyEnd {
    private static final Duration DEADLINE = Duration.ofSeconds(15);

    private final Thread command = Thread.currentThread();
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile int exitCode;

    private OrderlyEnd() {}

    /** Watches for signals from now on, on behalf of the calling thread. */
    static OrderlyEnd ofThisThread() {
        OrderlyEnd end = new OrderlyEnd();
        Runtime.getRuntime().addShutdownHook(new Thread(end::onShutdown, "orderly end"));
        return end;
    }

    private void onShutdown() {
        if (finished.getCount() == 0) {
            return; // the ordinary way out
        }
        command.interrupt();
        try {
            if (finished.await(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)) {
                Runtime.getRuntime().halt(exitCode); // else the exit code would be that of the signal
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // no code interrupts this thread; the JVM ends now either way
        }
    }

    /** Ends the process, also when a signal has begun to end it. */
    void exit(int code) {
        exitCode = code;
        finished.countDown();
        System.exit(code);
    }
}

package io.urma4j.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The other process of a figure. Ends when its standard input does. */
final class Child {
    /** What it does. */
    enum Role {
        /** Answers each turn of {@link PingPongSuite}. */
        RETURNER,
        /** Takes the messages of {@link MessageSuite}. */
        TAKER,
        /** Sleeps until it is woken, for {@link WaitingSuite}. */
        SLEEPER,
        /** Counts with others, for {@link CountingSuite}. */
        COUNTER,
        /** Imports, for {@link SharingSuite}. */
        IMPORTER,
        /** Writes, and is measured by others or not, for {@link MeasuringSuite}. */
        WRITER,
        /** Has the other card of {@link UdmaSuite}. */
        CARD,
        /** The same, and loses packets. */
        LOSSY_CARD,
        /** Does nothing. */
        IDLER
    }

    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private Child() {}

    public static void main(String[] arguments) throws Exception {
        ParentWatch.endWithParent();
        Child child = new Child();
        switch (Role.valueOf(arguments[0])) {
            case RETURNER -> PingPongSuite.child(child);
            case TAKER -> MessageSuite.child(child);
            case SLEEPER -> WaitingSuite.child(child);
            case COUNTER -> CountingSuite.child(child);
            case IMPORTER -> SharingSuite.child(child);
            case WRITER -> MeasuringSuite.child(child);
            case CARD -> UdmaSuite.child(child, Loopback.options());
            case LOSSY_CARD -> UdmaSuite.child(child, UdmaSuite.LOSSY);
            case IDLER -> child.hear();
        }
        System.exit(0); // whatever still waits
    }

    /** What the parent says next; empty at its end. */
    String hear() throws IOException {
        String line = in.readLine();
        return line == null ? "" : line;
    }

    /** Whether an unread line of the parent is here. */
    boolean isToldMore() {
        try {
            return in.ready();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void say(String line) {
        out.println(line);
    }
}

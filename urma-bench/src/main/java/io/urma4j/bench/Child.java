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
        /** Answers each turn of {@link PingPongChapter}. */
        RETURNER,
        /** Takes the messages of {@link MessageChapter}. */
        TAKER,
        /** Sleeps until it is woken, for {@link WaitingChapter}. */
        SLEEPER,
        /** Counts with others, for {@link CountingChapter}. */
        COUNTER,
        /** Imports, for {@link SharingChapter}. */
        GUEST,
        /** Writes, and is measured by others or not, for {@link MeasuringChapter}. */
        WRITER,
        /** Has the other card of {@link UdmaChapter}. */
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
        Orphan.endWithParent();
        Child child = new Child();
        switch (Role.valueOf(arguments[0])) {
            case RETURNER -> PingPongChapter.child(child);
            case TAKER -> MessageChapter.child(child);
            case SLEEPER -> WaitingChapter.child(child);
            case COUNTER -> CountingChapter.child(child);
            case GUEST -> SharingChapter.child(child);
            case WRITER -> MeasuringChapter.child(child);
            case CARD -> UdmaChapter.child(child, Loopback.options());
            case LOSSY_CARD -> UdmaChapter.child(child, UdmaChapter.LOSSY);
            case IDLER -> child.hear();
        }
        System.exit(0); // whatever still waits
    }

    /** What the parent says next; empty at its end. */
    String hear() throws IOException {
        String line = in.readLine();
        return line == null ? "" : line;
    }

    /** Whether the parent has said something that was not heard yet. */
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

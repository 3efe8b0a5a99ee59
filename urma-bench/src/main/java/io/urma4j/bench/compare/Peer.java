package io.urma4j.bench.compare;

import java.io.IOException;
import java.time.Duration;

/** A library or program that does the work: urma4j, an alternative to it, or the minimum that the machine needs. */
public interface Peer extends AutoCloseable {
    /** In tables, and for {@code --peer}. */
    String name();

    /** In the list of versions. */
    default String title() {
        return name();
    }

    /**
     * Installs or builds it.
     *
     * @return its version
     * @throws PeerUnavailableException when it cannot be had
     */
    String obtain(Toolchain toolchain) throws PeerUnavailableException, IOException, InterruptedException;

    /** Whether it can do this at all; asked after {@link #obtain}. */
    boolean can(Task task);

    /**
     * Does it once.
     *
     * @param about how long it may take; a few times as long where the work cannot be cut so finely
     * @throws IOException when it failed, with what it said
     */
    Sample measure(Task task, Duration about) throws IOException, InterruptedException;

    /**
     * Works before anything counts: a JVM compiles first.
     *
     * @param turn about how long each measurement will be
     */
    default void warmUp(Task task, Duration turn) throws IOException, InterruptedException {
        measure(task, Duration.ofMillis(20));
    }

    /** About what a turn takes beside the work itself: processes that start, connections that are made. */
    default long overheadMillis(Task task) {
        return 20;
    }

    /** About what {@link #warmUp} takes. */
    default long warmUpMillis(Task task, Duration turn) {
        return 20 + overheadMillis(task);
    }

    /** Ends its processes, removes its files. */
    @Override
    default void close() {}
}

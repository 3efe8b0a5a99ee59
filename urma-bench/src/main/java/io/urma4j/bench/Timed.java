package io.urma4j.bench;

/** Something that takes its own time, a chunk at once: long against the clock, short against the scheduler. */
@FunctionalInterface
public interface Timed {
    /** Does a chunk, and returns the nanoseconds per operation. */
    double chunkNanos();

    /** Before the chunks of a round: another process is made ready. */
    default void begin() {}

    /** After the chunks of a round. */
    default void end() {}

    /** Takes the time of a loop. */
    static Timed of(Loop loop, int operations) {
        return new Timed() {
            private long consumed; // what the loop returned

            @Override
            public double chunkNanos() {
                long start = System.nanoTime();
                consumed += loop.run(operations);
                return (double) (System.nanoTime() - start) / operations;
            }

            @Override
            public String toString() {
                return "loop, " + consumed;
            }
        };
    }
}

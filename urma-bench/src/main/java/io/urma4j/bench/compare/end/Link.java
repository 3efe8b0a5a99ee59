package io.urma4j.bench.compare.end;

import java.util.function.LongConsumer;

/** Messages of one size to and from the other process, each with a number in its first eight bytes. For one thread. */
public interface Link extends AutoCloseable {
    /** Sends a message with this number; false when there is no room just now. */
    boolean offer(long number);

    /** Receives the messages that have arrived, passes the number of each to the sink, and returns their count. */
    int poll(LongConsumer arrived);

    @Override
    default void close() {}
}

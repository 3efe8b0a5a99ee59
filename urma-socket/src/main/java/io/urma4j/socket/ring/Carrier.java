package io.urma4j.socket.ring;

/**
 * Takes what one end of a connection has stored for the other end to the other process. Processes of one host share the memory, so
 * nothing has to be taken. Safe for any thread; it never waits, but for {@link #flush}.
 */
public interface Carrier {
    /** How long a close, and the end of a JVM, wait for {@link #flush} at most. */
    long FLUSH_NANOS = 1_000_000_000;

    /** Of two processes that share the memory of their rings. */
    Carrier SHARED = new Carrier() {
        @Override
        public String device() {
            return "shm0";
        }

        @Override
        public String toString() {
            return "shared memory";
        }
    };

    /** The device whose memory the rings are. */
    String device();

    /** Whether both processes see the same memory, so that a doorbell over TCP means that the bytes are there. */
    default boolean isShared() {
        return true;
    }

    /** The writer of this end has stored bytes, or one of its words. */
    default void writerStored() {}

    /** The reader of this end has stored one of its words. */
    default void readerStored() {}

    /** Waits until the other process has all that was stored, at most so long. */
    default void flush(long timeoutNanos) {}
}

package io.urma4j.socket;

import java.net.SocketOption;

/** Options of connections that only channels of urma4j have. They can be read, not set. */
public final class UrmaSocketOptions {
    /** What moves the bytes of a connection: {@code shm0}, {@code udma0} or {@code tcp}. */
    public static final SocketOption<String> TRANSPORT = new ReadOnly<>("urma-transport", String.class);

    /** Why a connection is TCP; {@link FallbackReason#NONE} before its connect, and if it is not TCP. */
    public static final SocketOption<FallbackReason> FALLBACK_REASON =
            new ReadOnly<>("urma-fallback-reason", FallbackReason.class);

    private UrmaSocketOptions() {}

    private record ReadOnly<T>(String name, Class<T> type) implements SocketOption<T> {
        @Override
        public String toString() {
            return name;
        }
    }
}

package io.urma4j.udma.device;

import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Packet;
import org.jspecify.annotations.Nullable;

/** The card's port; records whether it had no space for a packet. */
final class WatchedPort implements Port {
    private final Port port;
    private boolean full;
    private boolean ended; // something was, since the last flush

    WatchedPort(Port port) {
        this.port = port;
    }

    /** Whether a packet found no space since the last {@link #clear}. */
    boolean isFull() {
        return full;
    }

    void clear() {
        full = false;
    }

    @Override
    public @Nullable Packet begin(Route route) {
        return watched(port.begin(route));
    }

    @Override
    public @Nullable Packet beginShort(Route route, int opcode, int payloadBytes, int mostBytes) {
        return watched(port.beginShort(route, opcode, payloadBytes, mostBytes));
    }

    private @Nullable Packet watched(@Nullable Packet packet) {
        full |= packet == null;
        return packet;
    }

    @Override
    public void end(int payloadBytes) {
        ended = true;
        port.end(payloadBytes);
    }

    @Override
    public void flush() {
        if (ended || full) {
            ended = false;
            port.flush();
        }
    }
}

package io.urma4j.udma.device;

import static java.util.Objects.requireNonNull;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Bth;
import io.urma4j.udma.wire.FragmentEth;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Packet;
import org.jspecify.annotations.Nullable;

/**
 * Sends the packets of {@linkplain Route#narrowedBytes narrowed} routes: cuts those that the path does not take at present
 * into fragments (docs/wire-extensions.md). A packet is written here, and copied into the places of the port.
 *
 * <p>If the port is full, the rest of a packet waits here, and no other one can begin.
 */
final class Fragmenter {
    private final Port port;
    private @Nullable Packet whole; // made when it is first needed
    private @Nullable Route route; // of the packet that was begun, or waits
    private int lengthBytes; // of the packet that waits, without its ICRC
    private int doneBytes; // of these
    private int payloadBytes;
    private int partBytes;
    private int lastId;
    private long sent;

    Fragmenter(Port port) {
        this.port = port;
    }

    /** How many fragments have been sent. */
    long sent() {
        return sent;
    }

    /** Space for a packet; null if the port is full. */
    @Nullable
    Packet begin(Route to) {
        if (!resume()) {
            return null;
        }
        route = to;
        if (whole == null) {
            whole = new Packet(NativeMemory.allocate(Packet.MAX_BYTES));
        }
        return whole;
    }

    /** The begun packet is complete, with that payload; it leaves as far as the port has space. */
    void end(int payloadBytes) {
        this.payloadBytes = payloadBytes;
        lengthBytes = requireNonNull(whole).pad(payloadBytes);
        doneBytes = 0;
        Route to = requireNonNull(route);
        int mostBytes = to.narrowedBytes();
        boolean fits = mostBytes == Route.NOT_NARROWED || lengthBytes + Icrc.BYTES <= mostBytes;
        partBytes = fits ? lengthBytes : Math.min(FragmentEth.partBytesWithin(mostBytes), to.mtuBytes());
        lastId = lastId + 1 & Bth.MAX_24;
        resume();
    }

    /** Whether a part of a packet waits for space. */
    boolean isWaiting() {
        return doneBytes < lengthBytes;
    }

    /** Passes what waits to the port; false if the port is full before the end. */
    boolean resume() {
        while (isWaiting()) {
            Packet place = port.begin(requireNonNull(route));
            if (place == null) {
                return false;
            }
            if (partBytes >= lengthBytes) {
                putWhole(requireNonNull(whole), place);
            } else {
                putPart(requireNonNull(whole), place);
            }
        }
        return true;
    }

    private void putWhole(Packet from, Packet place) {
        place.begin(from.opcode(), 0, 0);
        NativeMemory.copy(from.bytes(), 0, place.bytes(), 0, lengthBytes);
        doneBytes = lengthBytes;
        port.end(payloadBytes);
    }

    private void putPart(Packet from, Packet place) {
        int bytes = Math.min(partBytes, lengthBytes - doneBytes);
        FragmentEth.begin(place, from.connectionNumber(), lastId, lengthBytes, doneBytes, partBytes);
        NativeMemory.copy(from.bytes(), doneBytes, place.bytes(), place.payloadAt(), bytes);
        doneBytes += bytes;
        sent++;
        port.end(bytes);
    }
}

package io.urma4j.udma.device;

import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Bundle;
import io.urma4j.udma.wire.Packet;
import org.jspecify.annotations.Nullable;

/**
 * The packets that leave with the next flush of the card's port. Short ones that leave consecutively for the same urma4j
 * peer are bundled, since each packet costs the kernels of both sides more than creating it.
 *
 * <p>An ended packet stays open until another kind begins, or the port is flushed. The first is written in the port's own
 * place, so that a packet that stays alone costs nothing extra; later ones where the bundle will have them, behind the first.
 */
final class OutgoingBatch implements Port {
    private enum Begun {
        /** The packet leaves alone. */
        ALONE,
        /** Other packets may follow it. */
        FIRST,
        /** It follows an open packet. */
        FURTHER
    }

    private final Port port;
    private final Fragmenter fragmenter;
    private final BundlePlaces places = new BundlePlaces();
    private Begun begun = Begun.ALONE;

    /** In the port's place: a packet that was begun as the first, or the bundle that it has become. */
    private Packet open = places.elsewhere();

    /** The packet that follows: in the place of what is open, or elsewhere. */
    private Packet further = places.elsewhere();

    private @Nullable Route route; // of what is open
    private int openPackets; // that were ended; 0 when nothing is open
    private int openBytes; // of payload
    private boolean isFragmented; // the begun packet is in the fragmenter's place
    private boolean isFull;
    private boolean isEmpty = true; // nothing has ended since the last flush, and that left nothing

    OutgoingBatch(Port port) {
        this.port = port;
        this.fragmenter = new Fragmenter(port);
    }

    /** How many fragments have been sent. */
    long fragments() {
        return fragmenter.sent();
    }

    /** Whether a packet found no space since the step began. */
    boolean isFull() {
        return isFull;
    }

    /** A step of the card begins: the port may have space again. */
    void beginStep() {
        isFull = false;
    }

    @Override
    public @Nullable Packet begin(Route to) {
        close();
        begun = Begun.ALONE;
        return place(to);
    }

    private @Nullable Packet place(Route to) {
        isFragmented = to.narrowedBytes() != Route.NOT_NARROWED || fragmenter.isWaiting();
        Packet place = isFragmented ? fragmenter.begin(to) : port.begin(to);
        isFull |= place == null;
        return place;
    }

    private void leave(int payloadBytes) {
        if (isFragmented) {
            fragmenter.end(payloadBytes);
        } else {
            port.end(payloadBytes);
        }
    }

    @Override
    public @Nullable Packet beginShort(Route to, int opcode, int payloadBytes, int mostBytes) {
        if (openPackets > 0 && isRoute(to) && bytesWith(opcode, payloadBytes) <= mostBytes) {
            begun = Begun.FURTHER;
            further = places.in(open, Bundle.next(openBytesInBundle()));
            return further;
        }
        close();
        begun = Begun.FIRST;
        route = to;
        Packet place = place(to);
        open = place == null ? places.elsewhere() : place;
        return place;
    }

    @SuppressWarnings("ReferenceEquality") // to a peer's port there is one
    private boolean isRoute(Route to) {
        return route == to;
    }

    /** The payload of a bundle of the open packets and one more. */
    private int bytesWith(int opcode, int payloadBytes) {
        return openBytesInBundle() + Bundle.entryBytes(opcode, payloadBytes);
    }

    /** The payload of a bundle of the open packets, of which one alone is no bundle yet. */
    private int openBytesInBundle() {
        return openPackets == 1 ? Bundle.entryBytes(open.opcode(), openBytes) : openBytes;
    }

    @Override
    public void end(int payloadBytes) {
        isEmpty = false;
        switch (begun) {
            case ALONE -> leave(payloadBytes);
            case FIRST -> {
                openPackets = 1;
                openBytes = payloadBytes;
            }
            case FURTHER -> {
                int had = openPackets == 1 ? Bundle.begin(open, openBytes) : openBytes;
                openBytes = Bundle.add(open, had, further, payloadBytes);
                openPackets++;
            }
        }
    }

    /** The open packet leaves as it is. */
    private void close() {
        if (openPackets > 0) {
            openPackets = 0;
            leave(openBytes);
        }
    }

    @Override
    public boolean flush() {
        if (isEmpty && !isFull) {
            return false;
        }
        close();
        boolean hasLeft = fragmenter.resume();
        isFull |= !hasLeft;
        isEmpty = !port.flush() && hasLeft;
        assert openPackets == 0 : openPackets + " packets are open after a flush";
        return !isEmpty;
    }
}

package io.urma4j.simulation;

import io.urma4j.udma.transport.Port;
import io.urma4j.udma.transport.Route;
import io.urma4j.udma.wire.Icrc;
import io.urma4j.udma.wire.Packet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The port by which a machine sends into the network. It seals packets with a true ICRC, and limits their rate. */
final class SimulatedPort implements Port {
    private final Network network;
    private final Consumer<Packet> watcher;
    private final VirtualTime time;
    private final int burst;
    private final long burstNanos;
    private final Packet packet;
    private final Icrc icrc = new Icrc();
    private @Nullable SimulatedRoute begun;
    private long burstSince = Long.MIN_VALUE / 2;
    private int inBurst;
    private boolean refused;

    /**
     * A port that takes {@code burst} packets in each interval of {@code burstNanos}, and refuses more until it has
     * passed.
     *
     * @param watcher sees each packet that leaves
     * @param burst packets
     * @param mtuBytes most payload of a packet
     */
    SimulatedPort(
            Network network, Consumer<Packet> watcher, VirtualTime time, int burst, long burstNanos, int mtuBytes) {
        this.packet = Packet.allocate(mtuBytes);
        this.network = network;
        this.watcher = watcher;
        this.time = time;
        this.burst = burst;
        this.burstNanos = burstNanos;
    }

    @Override
    public @Nullable Packet begin(Route route) {
        if (time.now() - burstSince >= burstNanos) {
            burstSince = time.now();
            inBurst = 0;
        }
        if (inBurst >= burst) {
            refused = true;
            return null;
        }
        begun = (SimulatedRoute) route;
        return packet;
    }

    @Override
    public void end(int payloadBytes) {
        SimulatedRoute route = begun;
        if (route == null) {
            throw new Violation("a packet is ended that was not begun");
        }
        if (payloadBytes > route.mtuBytes()) {
            throw Violation.of("a packet of %d bytes on a path with an MTU of %d", payloadBytes, route.mtuBytes());
        }
        begun = null;
        inBurst++;
        packet.end(payloadBytes, route.sending(), icrc);
        network.send(route, packet);
        watcher.accept(packet); // after the send, so that the trace has the packet that broke a rule
    }

    @Override
    public boolean flush() {
        return false;
    }

    /** When there is room again, if a packet was refused since the last call; else {@code Long.MAX_VALUE}. */
    long roomAt() {
        boolean was = refused;
        refused = false;
        return was ? burstSince + burstNanos : Long.MAX_VALUE;
    }
}

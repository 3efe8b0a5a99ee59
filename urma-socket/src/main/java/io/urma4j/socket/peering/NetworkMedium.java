package io.urma4j.socket.peering;

import io.urma4j.Access;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import io.urma4j.UrmaContext;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Processes that a network connects: a datagram asks for a listener, and a device of the network carries what is written. */
final class NetworkMedium implements Medium, AutoCloseable {
    /** The device. */
    static final String DEVICE = "udma0";

    private final UrmaContext context;
    private final HelloClient hello;
    private final SocketSettings settings;
    private final Budget budget;
    private final LinkPump pump = new LinkPump();

    NetworkMedium(UrmaContext context, HelloClient hello, SocketSettings settings, Budget budget) {
        this.context = context;
        this.hello = hello;
        this.settings = settings;
        this.budget = budget;
    }

    @Override
    public Optional<Listed> find(InetSocketAddress remote) throws InterruptedException, RefusedException {
        return hello.ask(remote);
    }

    @Override
    public Arena arena() {
        return arena(settings.ringBytes());
    }

    private Arena arena(int ringBytes) {
        return new Arena(context, ringBytes, budget, ArenaLayout.WITH_COPIES);
    }

    @Override
    public Pairing pair(Arena own, SharedSegment theirs) {
        RemoteMemory opened = open(theirs);
        try {
            ArenaLayout layout = layoutOf(opened);
            if (layout.ringBytes() != own.layout().ringBytes()) {
                throw new IllegalArgumentException("its rings hold " + layout.ringBytes()
                        + " bytes, those of this process " + own.layout().ringBytes());
            }
            return paired(own, opened, layout);
        } catch (RuntimeException | Error e) {
            close(opened);
            throw e;
        }
    }

    /** With rings of the size that the other process has chosen. */
    @Override
    public Pairing accept(SharedSegment theirs) {
        RemoteMemory opened = open(theirs);
        Arena own = null;
        try {
            ArenaLayout layout = layoutOf(opened);
            own = arena(SocketSettings.checkedRing(layout.ringBytes()));
            return paired(own, opened, layout);
        } catch (RuntimeException | Error e) {
            close(opened);
            if (own != null) {
                own.close();
            }
            throw e;
        }
    }

    private Pairing paired(Arena own, RemoteMemory theirs, ArenaLayout layout) {
        return new NetworkPairing(context, own, theirs, layout, pump, settings.offerTimeout());
    }

    private RemoteMemory open(SharedSegment shared) {
        RemoteSegment segment = context.importSegment(shared.descriptor(), shared.token(), Access.READ_WRITE_ATOMIC);
        try {
            return RemoteMemory.of(segment);
        } catch (RuntimeException | Error e) {
            segment.close();
            throw e;
        }
    }

    private static void close(RemoteMemory opened) {
        RemoteSegment segment = opened.segment();
        opened.close();
        segment.close();
    }

    private ArenaLayout layoutOf(RemoteMemory memory) {
        MemorySegment head = MemorySegment.ofArray(new int[ArenaLayout.HEAD_BYTES / Integer.BYTES]);
        byte[] read = memory.withTimeout(settings.offerTimeout().multipliedBy(10))
                .read(0, Math.toIntExact(Math.min(head.byteSize(), memory.lengthBytes())));
        MemorySegment.copy(read, 0, head, ValueLayout.JAVA_BYTE, 0, read.length);
        return ArenaLayout.of(head, memory.lengthBytes(), ArenaLayout.WITH_COPIES);
    }

    @Override
    public void close() {
        pump.close();
    }

    @Override
    public String toString() {
        return "listeners of a network in " + context;
    }
}

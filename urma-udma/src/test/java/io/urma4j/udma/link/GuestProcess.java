package io.urma4j.udma.link;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.CompletionBatch;
import io.urma4j.ContextOptions;
import io.urma4j.DeviceAttributes;
import io.urma4j.Eid;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.Resource;
import io.urma4j.SharedSegment;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.udma.RoceEndpoint;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** The guest in its own process; {@code TckDriver} makes it by its name. */
final class GuestProcess implements Guest {
    private static final int SEGMENT_BYTES = 1 << 16;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private Urma urma;
    private UrmaContext context;
    private LocalSegment segment;
    private RemoteSegment remote;
    private Jfc jfc;
    private Jfs jfs;
    private int fills;

    @Override
    public String open(String runtimeDirectory, Duration importTimeout, Duration errTimeout) {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(Path.of(runtimeDirectory)));
        try {
            context = urma.device("udma0").openContext(0, ContextOptions.DEFAULT.withImportTimeout(importTimeout));
        } catch (UrmaException e) {
            return e.toString();
        }
        segment = context.register(context.allocate(SEGMENT_BYTES), Access.READ_WRITE);
        jfc = context.createJfc(JfcConfig.DEFAULT);
        jfs = context.createJfs(jfc, JfsConfig.builder().timeout(errTimeout).build());
        return port();
    }

    @Override
    public String share() {
        return segment.share();
    }

    @Override
    public String importSegment(String line) {
        try {
            remote = context.importSegment(SharedSegment.parse(line));
            return "imported";
        } catch (UrmaException e) {
            return e.toString();
        }
    }

    @Override
    public String write(int lengthBytes) {
        fill(lengthBytes);
        jfs.write(remote, 0, segment, 0, lengthBytes, 1);
        return status();
    }

    private void fill(int lengthBytes) {
        fills++;
        for (int i = 0; i < lengthBytes; i++) {
            segment.memory().set(ValueLayout.JAVA_BYTE, i, (byte) (fills + 7 * i + (i >> 8)));
        }
    }

    private String status() {
        CompletionBatch batch = new CompletionBatch(1);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (jfc.poll(batch) == 0) {
            if (System.nanoTime() - end > 0) {
                return "no record";
            }
        }
        return batch.status(0) + ", " + jfs.state();
    }

    @Override
    public String read(int lengthBytes) {
        jfs.read(remote, 0, segment, SEGMENT_BYTES / 2, Math.min(lengthBytes, SEGMENT_BYTES / 2), 2);
        String status = status();
        MemorySegment all = segment.memory();
        int same = Math.min(lengthBytes, SEGMENT_BYTES / 2);
        boolean isSame = all.asSlice(0, same).mismatch(all.asSlice(SEGMENT_BYTES / 2, same)) < 0;
        return isSame ? status : status + ", other bytes";
    }

    @Override
    public String repeat(int lengthBytes, Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (int done = 0; ; done++) {
            String status = (done & 1) == 0 ? write(lengthBytes) : read(lengthBytes);
            if (!status.equals("SUCCESS, READY")) {
                return done + ", then " + status;
            }
            if (System.nanoTime() - end > 0) {
                return "all of " + (done + 1);
            }
        }
    }

    @Override
    public long fragmentsOfPeer() {
        Resource shown = context.inspect(Set.of(Resource.Kind.PORT)).stream()
                .flatMap(view -> view.resources().stream())
                .findFirst()
                .orElseThrow();
        return Long.parseLong(shown.field("tx_fragments"));
    }

    @Override
    public void sendToForeigner(String address, int lengthBytes) {
        var receives = context.createJfr(
                jfc,
                JfrConfig.builder()
                        .mode(TransportMode.RC)
                        .policy(TokenPolicy.NONE)
                        .build());
        var foreign = context.createJetty(
                jfc, receives, JfsConfig.builder().mode(TransportMode.RC).build(), jfc);
        var peer = new RoceEndpoint(Eid.of(InetAddress.ofLiteral(address)), 0x1234, 1, 1024);
        foreign.bind(context.importJetty(peer.toDescriptor(foreign.jfs().orderType()), null));
        foreign.jfs().send(null, segment, 0, lengthBytes, 3);
    }

    @Override
    public void revive() {
        CompletionBatch batch = new CompletionBatch(16);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (jfs.state() != QueueState.READY && System.nanoTime() - end < 0) {
            jfc.poll(batch);
            jfs.flush(batch);
            try {
                jfs.modify(QueueState.RESET);
                jfs.modify(QueueState.READY);
            } catch (UrmaException e) {
                // it is not drained yet
            }
        }
    }

    @Override
    public String event(String type, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        try {
            long left = patience.toNanos();
            while (left > 0) {
                Optional<AsyncEvent> event = context.events().await(Duration.ofNanos(left));
                if (event.isPresent() && event.get().type() == AsyncEvent.Type.valueOf(type)) {
                    return event.get().toString();
                }
                left = end - System.nanoTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "";
    }

    @Override
    public String port() {
        DeviceAttributes attributes = urma.device("udma0").attributes();
        return attributes.ports().getFirst() + " " + attributes.ioPath();
    }
}

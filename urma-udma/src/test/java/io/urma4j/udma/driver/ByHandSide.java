package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.Endpoint;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SegmentDescriptor.Capabilities;
import io.urma4j.SegmentDescriptor.MemoryKind;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.udma.RoceEndpoint;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A context with memory and an RC Jetty. */
final class ByHandSide implements AutoCloseable {
    static final int MTU_BYTES = 1024;
    static final int MEMORY_BYTES = 16 << 10;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    final Urma urma;
    final UrmaContext context;
    final LocalSegment segment;
    final Jfc sends;
    final Jfc receives;
    final Jfr jfr;
    final Jetty jetty;
    final CompletionBatch batch = new CompletionBatch(1);

    ByHandSide(Path runtime, String address) {
        urma = Urma.open(
                UrmaOptions.DEFAULT.withRuntimeDirectory(runtime).withSetting("urma.udma.addresses", address));
        context = urma.device("udma0").openContext();
        segment = context.register(
                context.allocate(MEMORY_BYTES), Access.READ_WRITE_ATOMIC, TokenPolicy.NONE, Token.of(0));
        sends = context.createJfc(JfcConfig.DEFAULT);
        receives = context.createJfc(JfcConfig.DEFAULT);
        jfr = context.createJfr(
                receives,
                JfrConfig.builder()
                        .mode(TransportMode.RC)
                        .policy(TokenPolicy.NONE)
                        .allowInvalidate(true)
                        .build());
        jetty = context.createJetty(
                sends, jfr, JfsConfig.builder().mode(TransportMode.RC).build(), receives);
    }

    MemorySegment bytes() {
        return segment.memory();
    }

    /** Another one, with the same JFCs. */
    Jetty secondJetty() {
        return context.createJetty(
                sends, jfr, JfsConfig.builder().mode(TransportMode.RC).build(), receives);
    }

    /** What goes by hand of a queue: our own endpoint is left out. */
    static RoceEndpoint told(Jetty jetty) {
        RoceEndpoint all = RoceEndpoint.of(jetty.descriptor()).orElseThrow();
        return new RoceEndpoint(all.gid(), all.qpNumber(), all.firstPsn(), MTU_BYTES, all.readDepth());
    }

    RoceEndpoint told() {
        return told(jetty);
    }

    void bind(RoceEndpoint peer) {
        bind(jetty, peer);
    }

    void bind(Jetty mine, RoceEndpoint peer) {
        mine.bind(context.importJetty(peer.toDescriptor(mine.jfs().orderType()), null));
    }

    /** The same of memory. */
    SegmentDescriptor toldSegment(long lengthBytes) {
        SegmentDescriptor all = segment.descriptor();
        return new SegmentDescriptor(
                all.eid(),
                0,
                0,
                0,
                lengthBytes,
                all.access(),
                all.policy(),
                all.capabilities(),
                all.endpoints().stream()
                        .filter(endpoint -> endpoint.kind().equals(RoceEndpoint.KIND))
                        .toList());
    }

    Completion next(Jfc jfc) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (jfc.poll(batch) == 0) {
            assertThat(System.nanoTime()).as("a record in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
        return batch.completion(0);
    }

    /** What goes by hand of a range that was granted to a peer; a peer that cheats counts more bytes. */
    static SegmentDescriptor toldRange(RoceEndpoint home, int rkey, long address, long lengthBytes) {
        var endpoint = new Endpoint(RoceEndpoint.KIND, home.gid().toString(), Integer.toUnsignedLong(rkey), address, false);
        var capabilities = new Capabilities(false, false, true, false, MemoryKind.HOST);
        return new SegmentDescriptor(
                home.gid(), 0, 0, 0, lengthBytes, Access.READ_WRITE_ATOMIC, TokenPolicy.NONE, capabilities, List.of(endpoint));
    }

    @Override
    public void close() {
        urma.close();
    }
}

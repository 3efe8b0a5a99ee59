package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.Revocation;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.npu.NpuConfig;
import io.urma4j.npu.NpuProfile;
import io.urma4j.npu.SimulatedNpus;
import io.urma4j.peer.InvalidationReason;
import io.urma4j.peer.PeerMemory;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.RegionUser;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.tck.Patience;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A simulated NPU does not end a copy: what must wait for it has a timeout (S12.6). */
class HangingCopyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int LENGTH = 4096;
    private static final Token TOKEN = Token.of(7);
    private static final RegionUser NO_KEYS = new RegionUser() {
        @Override
        public void revoke(InvalidationReason reason) {}

        @Override
        public void invalidated(InvalidationReason reason) {}
    };

    @TempDir
    Path folder;

    private SimulatedNpus npus;
    private PeerMemory memory;
    private PeerRegion region;
    private LoneContext home;
    private LoneContext peer;

    @BeforeEach
    void open() {
        npus = new SimulatedNpus(NpuConfig.DEFAULT.withProfile(NpuProfile.DMABUF));
        memory = PeerMemory.open(UrmaOptions.DEFAULT.withSetting("urma.npu", ""));
        memory.add(npus);
        region = memory.allocate(SimulatedNpus.NAME, 0, LENGTH).pin(true, List.of());
        region.activate(NO_KEYS);
        home = new LoneContext(folder, "127.0.72.13", 64);
        peer = new LoneContext(folder, "127.0.72.14", 64);
    }

    @AfterEach
    void close() {
        npus.stop(0, false);
        peer.close();
        home.close();
        region.close();
        memory.close();
    }

    private boolean isCopying(UdmaSegment segment) {
        return !home.adapter
                .eventLoop()
                .call(_ -> home.adapter.copies().quiet(segment.device().region()))
                .isDone();
    }

    private UdmaSegment onDevice() {
        return home.context
                .exports()
                .register(new SegmentRequest(
                        null, null, region, Access.READ_WRITE, TokenPolicy.PLAIN_TEXT, TOKEN, 0, false, false));
    }

    /** The home's import of a segment of the peer. */
    private ProviderImport source() {
        UdmaSegment source = peer.context
                .exports()
                .register(new SegmentRequest(
                        null, Arena.ofAuto().allocate(LENGTH, 64), Access.READ, TokenPolicy.PLAIN_TEXT, TOKEN));
        return home.context
                .importSegment(new ImportRequest(source.descriptor(), TOKEN, Access.READ, PATIENCE))
                .join();
    }

    /** S6.11, S6.8: the requests that it has taken out are returned later. */
    @Test
    void aQuiescenceEndsAtItsTimeoutAndLosesNoResult() {
        UdmaSegment destination = onDevice();
        ProviderImport imported = source();
        ProviderSendQueue queue = home.context.createSendQueue(
                JfsConfig.DEFAULT, home.context.createJfc(JfcConfig.DEFAULT, () -> {}), null, null);
        npus.stop(0, true);
        assertThat(queue.read(imported, 0, destination, 0, LENGTH, 5, PostFlags.SIGNALLED_BIT))
                .isTrue();
        Patience.await("a copy that hangs", () -> isCopying(destination));

        assertThatThrownBy(() -> queue.quiesce(Duration.ofMillis(200)))
                .isInstanceOfSatisfying(
                        UrmaException.class, late -> assertThat(late.status()).isEqualTo(UrmaStatus.ETIMEOUT));
        assertThatThrownBy(() -> queue.modify(QueueState.RESET)).hasMessageContaining("flushed");
        npus.stop(0, false);

        long[] words = queue.quiesce(PATIENCE);
        assertThat(words).hasSize(CompletionRecord.WORDS);
        assertThat(words[CompletionRecord.USER_CONTEXT]).isEqualTo(5);
        assertThat(queue.quiesce(PATIENCE)).isEmpty();
        queue.modify(QueueState.RESET);
    }

    /** S6.11: only a flush or another quiescence returns what the first one took out. */
    @Test
    void aJettyWhoseQuiescenceTimedOutMustBeFlushedBeforeItIsBound() {
        UdmaSegment destination = onDevice();
        ProviderSendQueue queue = LateBindingTest.jetty(home);
        ProviderSendQueue partner = LateBindingTest.jetty(peer);
        ProviderTarget target = home.context
                .importQueue(partner.descriptor(), LateBindingTest.TOKEN, PATIENCE)
                .join();
        ProviderTarget back = peer.context
                .importQueue(queue.descriptor(), LateBindingTest.TOKEN, PATIENCE)
                .join();
        assertThat(queue.bind(target, PATIENCE)).succeedsWithin(PATIENCE);
        assertThat(partner.bind(back, PATIENCE)).succeedsWithin(PATIENCE);
        npus.stop(0, true);
        assertThat(queue.read(source(), 0, destination, 0, LENGTH, 5, PostFlags.SIGNALLED_BIT))
                .isTrue();
        Patience.await("a copy that hangs", () -> isCopying(destination));
        assertThatThrownBy(() -> queue.quiesce(Duration.ofMillis(200))).hasMessageContaining("still copies");
        assertThat(queue.unbind(PATIENCE)).succeedsWithin(PATIENCE);

        assertThatThrownBy(() -> queue.bind(target, PATIENCE)).hasMessageContaining("flush them first");

        npus.stop(0, false);
        assertThat(queue.flush(new long[CompletionRecord.WORDS], 1)).isEqualTo(1);
    }

    /** S7.5. */
    @Test
    void aRotationEndsAtItsTimeout() throws Exception {
        UdmaSegment segment = onDevice();
        ProviderImport imported = peer.context
                .importSegment(new ImportRequest(segment.descriptor(), TOKEN, Access.READ_WRITE, PATIENCE))
                .join();
        npus.stop(0, true);
        Thread writing = Thread.ofPlatform().daemon().start(() -> peer.statusOfWrite(imported, 0, 64, 3));
        Patience.await("a copy that hangs", () -> isCopying(segment));

        Revocation rotated = home.context
                .exports()
                .rotate(segment, Token.of(8), Duration.ofMillis(300))
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        assertThat(rotated.status()).isEqualTo(Revocation.Status.QUARANTINED);
        assertThat(rotated.importers()).containsExactly("a copy in progress on its device");
        npus.stop(0, false);
        writing.join(PATIENCE);
    }
}

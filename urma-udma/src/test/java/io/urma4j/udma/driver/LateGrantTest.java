package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.ProviderTarget;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.tck.Patience;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A home that answers after the deadline of the caller has given something that belongs to no caller. */
class LateGrantTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Token TOKEN = Token.of(7);

    @TempDir
    Path folder;

    private final Arena arena = Arena.ofShared();
    private LoneContext home;
    private LoneContext peer;

    @BeforeEach
    void open() {
        home = new LoneContext(folder, "127.0.76.2", 2 * Exports.MAX_IMPORTS_OF_A_PEER);
        peer = new LoneContext(folder, "127.0.76.3", 64);
    }

    @AfterEach
    void close() {
        peer.close();
        home.close();
        arena.close();
    }

    private ProviderSegment segment() {
        MemorySegment memory = arena.allocate(4096);
        return home.context
                .register(new SegmentRequest(null, memory, Access.READ, TokenPolicy.PLAIN_TEXT, TOKEN))
                .join();
    }

    private CompletableFuture<ProviderImport> imported(ProviderSegment segment, Duration timeout) {
        return peer.context.importSegment(new ImportRequest(segment.descriptor(), TOKEN, Access.READ, timeout));
    }

    private static UrmaStatus failureOf(CompletableFuture<?> late) {
        assertThat(late).failsWithin(PATIENCE);
        return ((UrmaException) late.exceptionNow()).status();
    }

    /** Runs what fails by its timeout, while the home does nothing. */
    private void whileTheHomeIsBusy(Runnable asking) {
        CountDownLatch end = new CountDownLatch(1);
        home.adapter.engine().submit(() -> await(end));
        asking.run();
        end.countDown();
    }

    private static void await(CountDownLatch end) {
        try {
            assertThat(end.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void theGrantOfAnImportThatTimedOutIsGivenBack() {
        ProviderSegment wanted = segment();
        assertThat(imported(segment(), PATIENCE)).succeedsWithin(PATIENCE);

        whileTheHomeIsBusy(() -> assertThat(failureOf(imported(wanted, SHORT))).isEqualTo(UrmaStatus.ETIMEOUT));
        assertThat(imported(segment(), PATIENCE)).succeedsWithin(PATIENCE); // behind the late one

        Patience.await("the end of the late grant", () -> wanted.importers().isEmpty());
    }

    private static ProviderSendQueue jetty(LoneContext at) {
        var jfc = at.context.createJfc(JfcConfig.DEFAULT, () -> {});
        var receives = at.context.createReceiveQueue(
                JfrConfig.builder().mode(TransportMode.RC).token(TOKEN).build(), jfc);
        return at.context.createSendQueue(
                JfsConfig.builder().mode(TransportMode.RC).build(), jfc, receives, jfc);
    }

    @Test
    void aJettyWhoseBindingTimedOutIsFree() {
        ProviderTarget target = peer.context
                .importQueue(jetty(home).descriptor(), TOKEN, PATIENCE)
                .join();
        whileTheHomeIsBusy(
                () -> assertThat(failureOf(jetty(peer).bind(target, SHORT))).isEqualTo(UrmaStatus.ETIMEOUT));
        ProviderSendQueue other = jetty(peer);

        Patience.await(
                "a free Jetty",
                () -> other.bind(target, PATIENCE)
                        .handle((_, failure) -> failure == null)
                        .join());
    }

    /** One peer cannot take all keys of the card, which other contexts of the device need as well. */
    @Test
    void theImportsOfOnePeerAreLimited() {
        ProviderSegment segment = segment();
        List<CompletableFuture<ProviderImport>> imports = new ArrayList<>();
        for (int i = 0; i < Exports.MAX_IMPORTS_OF_A_PEER; i++) {
            imports.add(imported(segment, PATIENCE.multipliedBy(3)));
        }
        assertThat(CompletableFuture.allOf(imports.toArray(CompletableFuture[]::new)))
                .succeedsWithin(PATIENCE.multipliedBy(3));

        assertThat(failureOf(imported(segment, PATIENCE))).isEqualTo(UrmaStatus.ENOMEM);
        var _ = imports.getFirst().join().close();

        Patience.await(
                "room for one",
                () -> imported(segment, PATIENCE)
                        .handle((_, failure) -> failure == null)
                        .join());
    }
}

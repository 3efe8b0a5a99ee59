package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.tck.Patience;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S14.32: a window that is granted to a peer by its identity, while the peer holds nothing. */
class IdlePeerGrantTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int KEYS = 64;
    private static final int SIZE = 4096;
    private static final Token TOKEN = Token.of(7);

    @TempDir
    Path folder;

    private LoneContext home;
    private LoneContext peer;

    @BeforeEach
    void open() {
        home = new LoneContext(folder, "127.0.72.11", KEYS);
        peer = new LoneContext(folder, "127.0.72.12", KEYS);
    }

    @AfterEach
    void close() {
        peer.close();
        home.close();
    }

    private UdmaSegment segment(TokenPolicy policy, boolean windowsOnly) {
        return home.context
                .exports()
                .register(new SegmentRequest(
                        null,
                        Arena.ofAuto().allocate(SIZE, 64),
                        null,
                        Access.READ_WRITE,
                        policy,
                        TOKEN,
                        0,
                        false,
                        windowsOnly));
    }

    private ProviderImport imported(UdmaSegment segment) {
        return peer.context
                .importSegment(new ImportRequest(segment.descriptor(), TOKEN, Access.READ_WRITE, PATIENCE))
                .join();
    }

    /** The peer has imported something, so that the home knows it, and holds nothing now. */
    private void connectAndRelease() {
        UdmaSegment other = segment(TokenPolicy.PLAIN_TEXT, false);
        imported(other).close().join();
        Patience.await("the release", () -> other.importers().isEmpty());
    }

    private boolean hasPeerWithGrants() {
        Peers peers = home.context.peers();
        return home.adapter
                .engine()
                .ask(() -> CompletableFuture.completedFuture(
                        peers.plane().peers().stream().anyMatch(peers::hasGrants)))
                .join();
    }

    private int statusOfWrite(UdmaSegment segment, ProviderGrant grant) {
        ProviderImport window =
                imported(segment).window(grant.key(), PATIENCE).join().begin();
        return peer.statusOfWrite(window, 0, 64, 3);
    }

    @Test
    void itOpensToAPeerThatHasDroppedItsIdleHomeAndGreetsAgain() {
        UdmaSegment segment = segment(TokenPolicy.NONE, true);
        connectAndRelease();
        ProviderGrant grant = segment.grant(peer.peerId(), 0, 64, Access.READ_WRITE);

        peer.losePeers("it was idle");

        assertThat(statusOfWrite(segment, grant)).isEqualTo(CompletionStatus.SUCCESS.value());
    }

    @Test
    void itKeepsThePlaceOfItsPeer() {
        UdmaSegment segment = segment(TokenPolicy.NONE, true);
        connectAndRelease();
        home.withPeers(one -> assertThat(home.context.peers().hasGrants(one)).isFalse());

        ProviderGrant grant = segment.grant(peer.peerId(), 0, 64, Access.READ_WRITE);

        home.withPeers(one -> assertThat(home.context.peers().hasGrants(one)).isTrue());
        grant.takeBack();
        home.withPeers(one -> assertThat(home.context.peers().hasGrants(one)).isFalse());
    }

    @Test
    void itEndsWithAPeerThatGreetsAgainAndImportsNothing() {
        UdmaSegment segment = segment(TokenPolicy.NONE, true);
        connectAndRelease();
        ProviderGrant grant = segment.grant(peer.peerId(), 0, 64, Access.READ_WRITE);
        peer.losePeers("it was idle");

        peer.greet(home);

        assertThat(hasPeerWithGrants()).isTrue();
        peer.close();
        Patience.await("the end of the window", grant::isQuiet);
    }
}

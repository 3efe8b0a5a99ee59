package io.urma4j.udma.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.WindowKey;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderSegment;
import io.urma4j.spi.SegmentRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * S14.31, S7.7: a peer that has windows of a slab, and posts whatever it likes. Its keys are made by hand, so that no check of its
 * own stops a packet: the home refuses each, and no byte of the slab changes or leaves.
 */
class ForgedWindowTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int KEYS = 64;
    private static final int SIZE = 4096;
    private static final int FROM = 1024;
    private static final int LENGTH = 128;
    private static final int ABORTED = CompletionStatus.REM_ACCESS_ABORT_ERR.value();
    private static final int SUCCESS = CompletionStatus.SUCCESS.value();
    private static final byte SECRET = 0x5A;

    @TempDir
    Path folder;

    private final MemorySegment slab = Arena.ofAuto().allocate(SIZE, 64);
    private final MemorySegment loot = Arena.ofAuto().allocate(SIZE, 64);
    private LoneContext home;
    private LoneContext peer;
    private LoneContext other;
    private UdmaSegment segment;
    private WindowKey key;
    private ProviderImport whole;
    private ProviderSegment destination;

    @BeforeEach
    void open() {
        home = new LoneContext(folder, "127.0.72.4", KEYS);
        peer = new LoneContext(folder, "127.0.72.5", KEYS);
        other = new LoneContext(folder, "127.0.72.6", KEYS);
        slab.fill(SECRET);
        segment = home.context
                .exports()
                .register(new SegmentRequest(
                        null,
                        slab,
                        null,
                        Access.READ_WRITE_ATOMIC,
                        TokenPolicy.NONE,
                        Token.of(1),
                        0,
                        false,
                        /* windowsOnly= */ true));
        key = granted(peer, FROM).key();
        whole = peer.context
                .importSegment(new ImportRequest(segment.descriptor(), null, Access.READ_WRITE_ATOMIC, PATIENCE))
                .join();
        destination = peer.context
                .exports()
                .register(new SegmentRequest(null, loot, Access.LOCAL_ONLY, TokenPolicy.NONE, Token.of(1)));
    }

    @AfterEach
    void close() {
        other.close();
        peer.close();
        home.close();
    }

    private ProviderGrant granted(LoneContext to, long offset) {
        return segment.grant(to.peerId(), offset, LENGTH, Access.READ_WRITE_ATOMIC);
    }

    /** A key that differs from the granted one, and belongs to this import. */
    private WindowKey forged(WindowKey from, long offset, long lengthBytes) {
        return new WindowKey(
                key.importNumber(), from.slot(), from.generation(), offset, lengthBytes, Access.READ_WRITE_ATOMIC);
    }

    private ProviderImport opened(WindowKey forged) {
        return whole.window(forged, PATIENCE).join().begin();
    }

    private void assertRefused(ProviderImport target, long offset, int lengthBytes) {
        assertThat(peer.statusOfWrite(target, offset, lengthBytes, 9)).isEqualTo(ABORTED);
        assertThat(peer.statusOfRead(target, offset, destination, lengthBytes)).isEqualTo(ABORTED);
        assertThat(slab.toArray(JAVA_BYTE)).containsOnly(SECRET);
        assertThat(loot.toArray(JAVA_BYTE)).containsOnly(0);
    }

    @Test
    void genuineKeyOpensItsWindow() {
        ProviderImport window = opened(forged(key, FROM, LENGTH));

        assertThat(peer.statusOfRead(window, 0, destination, LENGTH)).isEqualTo(SUCCESS);
        assertThat(loot.asSlice(0, LENGTH).toArray(JAVA_BYTE)).containsOnly(SECRET);
        assertThat(peer.statusOfWrite(window, 0, LENGTH, 9)).isEqualTo(SUCCESS);
        assertThat(slab.asSlice(FROM, LENGTH).toArray(JAVA_BYTE)).containsOnly(9);
        assertThat(slab.asSlice(0, FROM).toArray(JAVA_BYTE)).containsOnly(SECRET);
    }

    /** From its first byte to one beyond its end, the byte beyond alone, and the byte before it. */
    @ParameterizedTest
    @CsvSource({"1024, 0, 129", "1024, 128, 1", "1023, 0, 1", "1023, 0, 129", "1024, 127, 2", "1024, 3072, 1"})
    void oneByteBeyondTheWindowIsRefused(long base, long offset, int lengthBytes) {
        assertRefused(opened(forged(key, base, SIZE)), offset, lengthBytes);
    }

    @Test
    void baseOfTheSlabIsRefused() {
        assertRefused(opened(forged(key, 0, SIZE)), 0, 8);
    }

    /** What the import itself has: a key that opens nothing. */
    @Test
    void keyOfTheImportIsRefused() {
        assertRefused(whole, 0, 8);
        assertRefused(whole, FROM, 8);
        WindowKey byNumber =
                new WindowKey(key.importNumber(), ((UdmaImport) whole).key() >>> 8, 0, FROM, LENGTH, Access.READ_WRITE);
        assertRefused(opened(byNumber), 0, 8);
    }

    @Test
    void windowOfAnotherPeerIsRefused() {
        WindowKey others = granted(other, 0).key();

        assertRefused(opened(forged(others, 0, LENGTH)), 0, 8);
    }

    @Test
    void staleKeyIsRefusedAlsoWhenItsBytesAreLentAgain() {
        ProviderGrant ended = granted(peer, 0);
        WindowKey stale = ended.key();
        ended.takeBack();
        assertRefused(opened(forged(stale, 0, LENGTH)), 0, 8);

        granted(other, 0);

        assertRefused(opened(forged(stale, 0, LENGTH)), 0, 8);
    }

    /** Of the same slot, of any generation near it. */
    @ParameterizedTest
    @CsvSource({"1", "2", "255", "256"})
    void anotherGenerationIsRefused(long later) {
        WindowKey forged = new WindowKey(
                key.importNumber(), key.slot(), key.generation() + later, FROM, LENGTH, Access.READ_WRITE);

        if (later == 256) { // the same key, with the VA of a later life
            assertThat(opened(forged)).isNotNull();
        }
        assertRefused(opened(forged), 0, 8);
    }
}

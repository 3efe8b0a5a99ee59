package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderGrant;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.SegmentRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * S14.32: a process of another user on the peer's host. It knows the peer's EID, UASID and incarnation, and claims them, but its
 * port is another one: the kernel gives the peer's to no other user.
 */
class CopiedIdentityTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int KEYS = 64;
    private static final int SIZE = 4096;
    private static final int LENGTH = 64;
    private static final Token TOKEN = Token.of(7);
    private static final int ABORTED = CompletionStatus.REM_ACCESS_ABORT_ERR.value();
    private static final int SUCCESS = CompletionStatus.SUCCESS.value();

    @TempDir
    Path folder;

    private final MemorySegment memory = Arena.ofAuto().allocate(SIZE, 64);
    private LoneContext home;
    private LoneContext genuine;
    private LoneContext copy;

    @BeforeEach
    void open() {
        home = new LoneContext(folder.resolve("home"), "127.0.72.7", KEYS);
        genuine = new LoneContext(folder.resolve("genuine"), "127.0.72.8", KEYS);
        copy = new LoneContext(folder.resolve("copy"), genuine, KEYS);
        assertThat(copy.peerId()).isEqualTo(genuine.peerId());
        assertThat(copy.adapter.address()).isNotEqualTo(genuine.adapter.address());
    }

    @AfterEach
    void close() {
        copy.close();
        genuine.close();
        home.close();
    }

    private UdmaSegment windowsOnly() {
        return home.context
                .exports()
                .register(new SegmentRequest(
                        null,
                        memory,
                        null,
                        Access.READ_WRITE,
                        TokenPolicy.NONE,
                        TOKEN,
                        0,
                        false,
                        /* windowsOnly= */ true));
    }

    private ProviderGrant granted(UdmaSegment segment) {
        return segment.grant(genuine.peerId(), 0, LENGTH, Access.READ_WRITE);
    }

    private static ProviderImport imported(LoneContext by, SegmentDescriptor descriptor) {
        return by.context
                .importSegment(new ImportRequest(descriptor, TOKEN, Access.READ_WRITE, PATIENCE))
                .join();
    }

    private void assertCopyIsRefused(UdmaSegment segment) {
        assertThatThrownBy(() -> imported(copy, segment.descriptor()))
                .cause()
                .isInstanceOfSatisfying(
                        UrmaException.class,
                        refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.ENOPERM));
    }

    private static ProviderImport window(ProviderImport of, ProviderGrant grant) {
        return of.window(grant.key(), PATIENCE).join().begin();
    }

    private int statusOfWriteByGenuine(UdmaSegment segment, ProviderGrant grant) {
        return genuine.statusOfWrite(window(imported(genuine, segment.descriptor()), grant), 0, LENGTH, 3);
    }

    @Test
    void copyImportsNothingBeforeAndAfterTheGenuinePeer() {
        var segment = windowsOnly();
        var grant = granted(segment);

        assertCopyIsRefused(segment);
        assertThat(statusOfWriteByGenuine(segment, grant)).isEqualTo(SUCCESS);
        assertCopyIsRefused(segment);

        assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 3);
        assertThat(statusOfWriteByGenuine(segment, grant))
                .as("the refusals took nothing from the genuine peer")
                .isEqualTo(SUCCESS);
    }

    /** It has the token of an ordinary segment, and the key of the window: its packets reach the card of the home. */
    @Test
    void keyOfTheGenuinePeerOpensNothingToTheCopy() {
        var segment = home.context
                .exports()
                .register(new SegmentRequest(null, memory, Access.READ_WRITE, TokenPolicy.PLAIN_TEXT, TOKEN));
        var grant = granted(segment);
        var whole = imported(copy, segment.descriptor());

        assertThat(copy.statusOfWrite(window(whole, grant), 0, LENGTH, 9)).isEqualTo(ABORTED);
        assertThat(memory.mismatch(MemorySegment.ofArray(new byte[SIZE]))).isEqualTo(-1);
        assertThat(statusOfWriteByGenuine(segment, grant)).isEqualTo(SUCCESS);
        assertThat(copy.statusOfWrite(window(whole, grant), 0, LENGTH, 9)).isEqualTo(ABORTED);
        assertThat(memory.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 3);
        assertThat(copy.statusOfWrite(whole, 0, LENGTH, 9)).as("its own import").isEqualTo(SUCCESS);
    }

    /** A descriptor leads the home to it: the home greets it, at the port that the copy answers from. */
    @Test
    void copyThatTheHomeGreetsHasNotProvenTheIdentity() {
        var segment = windowsOnly();
        var grant = granted(segment);
        var bait = copy.context
                .exports()
                .register(new SegmentRequest(
                        null, Arena.ofAuto().allocate(SIZE, 64), Access.READ_WRITE, TokenPolicy.PLAIN_TEXT, TOKEN));
        imported(home, bait.descriptor());

        assertCopyIsRefused(segment);
        assertThat(statusOfWriteByGenuine(segment, grant)).isEqualTo(SUCCESS);
        assertCopyIsRefused(segment);
    }

    @Test
    void copyInheritsNothingFromAPeerThatIsGone() {
        var segment = windowsOnly();
        var grant = granted(segment);
        assertThat(statusOfWriteByGenuine(segment, grant)).isEqualTo(SUCCESS);

        genuine.close();

        assertCopyIsRefused(segment);
        granted(segment); // by a home whose application does not know it yet
        assertCopyIsRefused(segment);
    }
}

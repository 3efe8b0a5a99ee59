package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Access;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.SegmentRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A device that has run out of keys. */
class KeysTest {
    private static final int KEYS = 3;
    private static final int LIVES = 256;

    @TempDir
    Path folder;

    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
    private LoneContext lone;
    private Exports exports;

    @BeforeEach
    void open() {
        lone = new LoneContext(folder, "127.0.72.1", KEYS);
        exports = lone.context.exports();
    }

    @AfterEach
    void close() {
        lone.close();
    }

    private UdmaSegment register(TokenPolicy policy) {
        return exports.register(new SegmentRequest(null, memory, Access.READ, policy, Token.of(7)));
    }

    private void unregister(UdmaSegment segment) {
        lone.adapter.engine().ask(() -> exports.revoke(segment, Long.MAX_VALUE)).join();
    }

    @Test
    void registrationSaysThatThereAreNoKeysLeft() {
        for (int i = 0; i < KEYS * LIVES; i++) {
            unregister(register(TokenPolicy.PLAIN_TEXT));
        }

        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> register(TokenPolicy.PLAIN_TEXT))
                .withMessageContaining("all keys of the device are in use")
                .satisfies(refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.ENOMEM));
    }

    /** A segment for everybody has two keys: the one that it has got already must not be lost with the other. */
    @Test
    void whatIsRefusedForWantOfASecondKeyGivesTheFirstBack() {
        register(TokenPolicy.PLAIN_TEXT);
        register(TokenPolicy.PLAIN_TEXT);

        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> register(TokenPolicy.NONE))
                .withMessageContaining("all keys of the device are in use");

        assertThat(register(TokenPolicy.PLAIN_TEXT)).isNotNull();
    }
}

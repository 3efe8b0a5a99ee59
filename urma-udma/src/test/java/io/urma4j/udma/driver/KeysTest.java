package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Access;
import io.urma4j.Eid;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.udma.udp.PortOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A device that has run out of keys. */
class KeysTest {
    private static final InetAddress ADDRESS = InetAddress.ofLiteral("127.0.72.1");
    private static final int KEYS = 3;
    private static final int LIVES = 256;

    @TempDir
    Path folder;

    private final MemorySegment memory = Arena.ofAuto().allocate(4096, 64);
    private Adapter adapter;
    private UdmaContext context;
    private Exports exports;

    @BeforeEach
    void open() {
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(folder);
        Eid eid = Eid.of(ADDRESS);
        UdmaDevice device = new UdmaDevice("udma9", options, ADDRESS, new Capture(options, 1));
        adapter = Adapter.open("udma9", eid, PortOptions.of(ADDRESS), KEYS);
        context = UdmaContext.open(device, adapter, options, event -> {});
        exports = context.exports();
    }

    @AfterEach
    void close() {
        context.close(Duration.ofSeconds(10)).join();
        adapter.close();
    }

    private UdmaSegment register(TokenPolicy policy) {
        return exports.register(new SegmentRequest(null, memory, Access.READ, policy, Token.of(7)));
    }

    private void unregister(UdmaSegment segment) {
        adapter.engine().ask(() -> exports.revoke(segment, Long.MAX_VALUE)).join();
    }

    @Test
    void registrationSaysThatThereAreNoKeysLeft() {
        for (int i = 0; i < KEYS * LIVES; i++) {
            unregister(register(TokenPolicy.PLAIN_TEXT));
        }

        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> register(TokenPolicy.PLAIN_TEXT))
                .withMessageContaining("the device has no keys left")
                .satisfies(refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.ENOMEM));
    }

    /** A segment for everybody has two keys: the one that it has got already must not be lost with the other. */
    @Test
    void whatIsRefusedForWantOfASecondKeyGivesTheFirstBack() {
        register(TokenPolicy.PLAIN_TEXT);
        register(TokenPolicy.PLAIN_TEXT);

        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> register(TokenPolicy.NONE))
                .withMessageContaining("the device has no keys left");

        assertThat(register(TokenPolicy.PLAIN_TEXT)).isNotNull();
    }
}

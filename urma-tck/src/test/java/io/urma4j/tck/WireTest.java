package io.urma4j.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Token;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests and their homes' processes understand each other. */
@Timeout(60)
class WireTest {
    private final DriverProcess process = DriverProcess.start(EchoProcess.class);

    /** What the other process offers. */
    interface Echo extends HomeObject {
        Object same(Object value);

        Echo another(String name);

        String nameOf(Echo other);

        void fail();

        void stumble();

        void waitForever() throws InterruptedException;
    }

    /** The other process. */
    static final class EchoProcess implements Echo {
        private final String name;

        EchoProcess() {
            this("root");
        }

        private EchoProcess(String name) {
            this.name = name;
        }

        @Override
        public Object same(Object value) {
            return value;
        }

        @Override
        public Echo another(String another) {
            return new EchoProcess(another);
        }

        @Override
        public String nameOf(Echo other) {
            return ((EchoProcess) other).name;
        }

        @Override
        public void fail() {
            throw new UrmaException(UrmaStatus.EEXIST, "the object", "the reason");
        }

        @Override
        public void stumble() {
            throw new IllegalStateException("stumbled");
        }

        @Override
        public void waitForever() throws InterruptedException {
            Thread.sleep(Long.MAX_VALUE);
        }
    }

    @AfterEach
    void end() {
        process.close();
    }

    static List<Object> values() {
        return Arrays.asList(
                true,
                -5,
                Long.MIN_VALUE,
                "text, ü",
                Access.READ_WRITE,
                Token.of(17),
                Duration.ofNanos(3),
                Optional.of("x"),
                Optional.empty(),
                OptionalLong.of(9),
                OptionalLong.empty(),
                List.of(1L, "two"),
                JfsConfig.DEFAULT,
                JfrConfig.builder().token(Token.of(3)).build());
    }

    @ParameterizedTest
    @MethodSource("values")
    void valueTravelsWithoutChange(Object value) throws IOException {
        var wire = new Wire(process);
        var bytes = new ByteArrayOutputStream();
        wire.write(new DataOutputStream(bytes), value);

        assertThat(wire.read(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))))
                .isEqualTo(value);
        assertThat(process.root(Echo.class).same(value)).isEqualTo(value);
    }

    @Test
    void objectsOverThereAreKnownByNumber() {
        var root = process.root(Echo.class);

        assertThat(root.nameOf(root.another("second"))).isEqualTo("second");
        assertThat(root.nameOf(root)).isEqualTo("root");
    }

    @Test
    void failuresOverThereAreFailuresHere() {
        var root = process.root(Echo.class);

        assertThatThrownBy(root::fail)
                .isInstanceOf(UrmaException.class)
                .hasMessage("the object: the reason (EEXIST)")
                .extracting(e -> ((UrmaException) e).status())
                .isEqualTo(UrmaStatus.EEXIST);
        assertThatThrownBy(root::stumble).isInstanceOf(AssertionError.class).hasMessageContaining("stumbled");
    }

    @Test
    void deathOverThereEndsTheCall() {
        var root = process.root(Echo.class);
        Thread.ofPlatform().daemon().start(() -> {
            Patience.until(Duration.ofMillis(200), () -> false);
            process.kill();
        });

        assertThatThrownBy(root::waitForever).isInstanceOf(DriverProcess.PeerGoneException.class);
        assertThat(process.isAlive()).isFalse();
    }
}

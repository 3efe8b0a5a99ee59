package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.urma4j.Access;
import io.urma4j.Eid;
import io.urma4j.TokenPolicy;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.UnixSocket;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The rule of docs/compatibility.md, with a peer of a later version at the other end of the socket. */
@Timeout(60)
class OtherVersionsTest {
    private static final String CALLER_IS_LATER =
            "speaks control protocol 1.1 and its caller 2.5: they need the same major version";

    @TempDir
    Path temporary;

    private Path directory;
    private TestContext context;

    @BeforeEach
    void open() {
        directory = temporary.resolve("runtime");
        context = new TestContext(directory);
    }

    @AfterEach
    void close() {
        context.close();
    }

    /** A greeting of which nothing but the first nine bytes is as we know it. */
    private static ByteBuffer helloOfVersion2() {
        return ByteBuffer.allocate(20)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 1)
                .putInt(0x414D_5255)
                .putShort((short) 2)
                .putShort((short) 5)
                .put(new byte[] {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1})
                .flip();
    }

    private static ByteBuffer longer(ControlMessage message) {
        ByteBuffer bytes = ControlCodec.encode(message);
        return ByteBuffer.allocate(bytes.limit() + 4).put(bytes).rewind();
    }

    private CompletableFuture<?> importFromRawHome() throws Exception {
        var segment = Exports.describe(Eid.ofIpv4(1), 7, RawPeer.ID, 5, 1, 4096, Access.READ, TokenPolicy.NONE, 0);
        return context.plane.importSegment(new ImportRequest(segment, null, Access.READ, TestContext.LONG));
    }

    private static UrmaException failureOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future));
    }

    @Test
    void aCallerOfAnotherMajorVersionHearsBothVersions() throws Exception {
        try (RawPeer caller = RawPeer.connectedTo(directory, context.plane)) {
            caller.sendBytes(helloOfVersion2());

            assertThat(caller.receive()).contains(new Refused(0, UrmaStatus.FAIL, CALLER_IS_LATER));
            assertThat(caller.receive()).as("the connection ended").isEmpty();
        }
    }

    @Test
    void aHomeOfAnotherMajorVersionIsNamedWithBothVersions() throws Exception {
        try (UnixSocket listener = RawPeer.listenAsHome(directory)) {
            var imported = importFromRawHome();
            try (RawPeer home = RawPeer.acceptedBy(listener)) {
                assertThat(home.receive()).isPresent();
                home.sendBytes(helloOfVersion2());

                UrmaException failure = failureOf(imported);
                assertThat(failure.status()).isEqualTo(UrmaStatus.FAIL);
                assertThat(failure)
                        .hasMessageContaining("home " + RawPeer.ID.address()
                                + ": speaks control protocol 2.5 and its caller 1.1: they need the same major version");
            }
        }
    }

    /** What a later minor version adds to its greeting is passed over, and so are features that it can do without. */
    @Test
    void aCallerOfALaterMinorVersionIsServed() throws Exception {
        ShmSegment segment = context.share(Access.READ);
        try (RawPeer caller = RawPeer.connectedTo(directory, context.plane)) {
            Hello ours = RawPeer.hello(context.plane.incarnation());
            caller.sendBytes(longer(new Hello(
                    ours.major(), 99, -1, 0, ours.eid(), 7, ours.incarnation(), ours.wanted(), ours.address())));

            assertThat(caller.receive().orElseThrow())
                    .isInstanceOfSatisfying(
                            Hello.class,
                            hello -> assertThat(hello.features())
                                    .as("what we do not know we do not promise")
                                    .isEqualTo(ControlCodec.FEATURES));
            caller.send(new ImportSegment(1, segment.tokenId(), segment.key(), Access.READ, segment.token()));
            assertThat(caller.receive().orElseThrow()).isInstanceOf(SegmentGranted.class);
        }
    }

    @Test
    void aCallerThatRequiresWhatWeDoNotKnowHearsTheFeatures() throws Exception {
        try (RawPeer caller = RawPeer.connectedTo(directory, context.plane)) {
            Hello ours = RawPeer.hello(context.plane.incarnation());
            caller.send(new Hello(1, 2, 0x60, 0x60, ours.eid(), 7, ours.incarnation(), ours.wanted(), ours.address()));

            assertThat(caller.receive().orElseThrow())
                    .isInstanceOfSatisfying(
                            Refused.class,
                            refused -> assertThat(refused.reason())
                                    .startsWith("does not know features 0x60 that its caller requires"));
        }
    }

    @Test
    void whatWeCannotReadIsAnsweredWithTheReasonAndOthersAreServed() throws Exception {
        for (ByteBuffer unreadable : List.of(
                ByteBuffer.wrap(new byte[] {(byte) 200, 1, 0, 0, 0, 0, 0, 0, 0}), longer(new Lookup(1, "x", true)))) {
            String reason = unreadable.limit() == 9
                    ? "message type 200 is unknown to control protocol 1.1"
                    : "4 bytes behind the end of the message";
            try (RawPeer caller = RawPeer.greeted(directory, context.plane)) {
                caller.sendBytes(unreadable);

                assertThat(caller.receive()).contains(new Refused(0, UrmaStatus.FAIL, reason));
                assertThat(caller.receive()).as("the connection ended").isEmpty();
            }
        }
        try (TestContext other = new TestContext(directory)) {
            get(other.importFrom(context.share(Access.READ), Access.READ).close());
        }
    }

    @Test
    void whatAHomeCannotReadEndsTheRequestWithItsReason() throws Exception {
        try (UnixSocket listener = RawPeer.listenAsHome(directory)) {
            var imported = importFromRawHome();
            try (RawPeer home = RawPeer.acceptedBy(listener)) {
                assertThat(home.receive()).isPresent();
                home.send(RawPeer.hello(0));
                assertThat(home.receive().orElseThrow()).isInstanceOf(ImportSegment.class);

                home.send(new Refused(0, UrmaStatus.FAIL, "message type 16 is unknown to control protocol 1.0"));

                assertThat(failureOf(imported))
                        .hasMessageContaining("it could not read our message:"
                                + " message type 16 is unknown to control protocol 1.0");
            }
        }
    }
}

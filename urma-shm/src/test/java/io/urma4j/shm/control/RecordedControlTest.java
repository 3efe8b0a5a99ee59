package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.OrderType;
import io.urma4j.Resource;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.Dir;
import io.urma4j.libc.Fd;
import io.urma4j.libc.UnixSocket;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Answer;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.Goodbye;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Inspect;
import io.urma4j.spi.control.ControlMessage.Inspected;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Measure;
import io.urma4j.spi.control.ControlMessage.Named;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.OpenWindows;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Request;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unbind;
import io.urma4j.spi.control.ControlMessage.WindowsOpened;
import io.urma4j.spi.control.ResourceText;
import io.urma4j.tck.RecordedConversation;
import io.urma4j.tck.RecordedConversation.Said;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A conversation of control protocol 1.1 on the socket, as version 0.1 of the library had it, against the library of today
 * in the place of either end. {@code -Durma.record=true} writes the file anew, which is right as long as no release has it.
 */
@Timeout(60)
class RecordedControlTest {
    private static final String FILE = "shm-control-1.1.txt";
    private static final String GUEST = "guest";
    private static final String HOME = "home";
    private static final String REFUSAL = "the home refused: wrong token id, token, or access";

    /** Request numbers from here on are those of a guest that speaks by hand: ours asks for these things otherwise. */
    private static final long BY_HAND = 100;

    /** The recorded home. */
    private static final RecordedNames HOME_THEN = new RecordedNames(
            0xA1_B2C3, 0x1122_3344_5566_7788L, "d".repeat(32), 0x5_4321, 17, Token.of(0x7E57_AB1E), 0x6543);

    /** The recorded guest, which has no segments. */
    private static final RecordedNames GUEST_THEN =
            new RecordedNames(7, RawPeer.ID.incarnation(), RawPeer.ID.address(), 0, 0, Token.of(0), 0);

    private static final Eid EID = Eid.ofIpv4(0x7F00_0001);
    private static final Token WRONG = Token.of(~HOME_THEN.token().value());

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

    private record Line(String speaker, ControlMessage message) {}

    private static Line guest(ControlMessage message) {
        return new Line(GUEST, message);
    }

    private static Line home(ControlMessage message) {
        return new Line(HOME, message);
    }

    private static Hello hello(RecordedNames of, long wanted) {
        return new Hello(1, 1, 3, 0, EID, of.uasid(), of.incarnation(), wanted, of.address());
    }

    /** What was said. Request numbers of a guest of ours begin at 1. */
    private static List<Line> script() {
        RecordedNames of = HOME_THEN;
        Access all = Access.READ_WRITE_ATOMIC;
        return List.of(
                guest(hello(GUEST_THEN, of.incarnation())),
                home(hello(of, 0)),
                guest(new ImportSegment(1, of.tokenId(), of.key(), all, of.token())),
                home(new SegmentGranted(1, of.grant(), all, 0, 4096)),
                guest(new ImportQueue(2, TestContext.QUEUE, JettyDescriptor.Kind.JFR, TestContext.QUEUE_TOKEN)),
                home(new QueueGranted(2, TransportMode.RM, OrderType.OI, 4711)),
                guest(new OpenPath(3, TestContext.RING_BYTES)),
                home(new PathOpened(3)),
                guest(new Bind(4, TestContext.QUEUE, 9, OrderType.OI)),
                home(new Done(4)),
                guest(new Unbind(5, TestContext.QUEUE, 9)),
                home(new Done(5)),
                guest(new OpenWindows(BY_HAND)),
                home(new WindowsOpened(BY_HAND)),
                guest(new Lookup(BY_HAND + 1, "orders", true)),
                home(new Named(
                        BY_HAND + 1,
                        of.tokenId(),
                        of.key(),
                        4096,
                        all,
                        TokenPolicy.PLAIN_TEXT,
                        of.token(),
                        0,
                        List.of())),
                guest(new Inspect(BY_HAND + 2, ResourceText.number(Resource.Kind.SEG), 0)),
                home(new Inspected(BY_HAND + 2, List.of(), true)),
                guest(new Measure(BY_HAND + 3, true)),
                home(new Done(BY_HAND + 3)),
                guest(new ImportSegment(BY_HAND + 4, of.tokenId(), of.key(), Access.READ, WRONG)),
                home(new Refused(BY_HAND + 4, UrmaStatus.ENOPERM, REFUSAL)),
                home(new Revoke(of.grant())),
                guest(new Revoked(of.grant())),
                guest(new Goodbye("closed")));
    }

    private static List<Said> recorded() throws Exception {
        if (RecordedConversation.isRecording()) {
            RecordedConversation.write(
                    FILE,
                    "Control protocol 1.1 on the Unix socket: a guest imports from a home.",
                    script().stream().map(RecordedControlTest::said).toList());
        }
        return RecordedConversation.read(RecordedControlTest.class, FILE);
    }

    private static ControlMessage messageOf(Said said) throws Exception {
        return ControlCodec.decode(said.message());
    }

    @Test
    void eachRecordedMessageMeansWhatItMeantAndIsWrittenAsItWas() throws Exception {
        List<Said> recorded = recorded();
        List<Line> script = script();

        assertThat(recorded).hasSameSizeAs(script);
        for (int i = 0; i < script.size(); i++) {
            assertThat(new Line(recorded.get(i).speaker(), messageOf(recorded.get(i))))
                    .as("message %d", i)
                    .isEqualTo(script.get(i));
            assertThat(said(script.get(i))).as("bytes of message %d", i).isEqualTo(recorded.get(i));
        }
    }

    private static Said said(Line line) {
        ControlMessage message = line.message();
        return Said.of(
                line.speaker(), ControlCodec.encode(message), message.getClass().getSimpleName());
    }

    @Test
    void aRecordedGuestIsAnsweredAsItWas() throws Exception {
        ShmSegment segment = context.share(Access.READ_WRITE_ATOMIC);
        get(segment.publish("orders", true));
        RecordedNames today = namesToday(segment, 0);
        try (RawPeer guest = RawPeer.connectedTo(directory, context.plane);
                ShmMemory ring = ShmMemory.allocate(TestContext.RING_BYTES, AllocOptions.DEFAULT, "ring");
                ShmMemory windows = ShmMemory.allocate(WindowTable.BYTES, AllocOptions.DEFAULT, "windows")) {
            for (Said said : recorded()) {
                ControlMessage message = messageOf(said);
                if (said.speaker().equals(GUEST)) {
                    guest.send(HOME_THEN.in(message, today), descriptorsWith(message, ring, windows));
                    continue;
                }
                if (message instanceof Revoke) {
                    var _ = segment.unregister(TestContext.LONG);
                }
                ControlMessage answer = guest.receive().orElseThrow();
                if (answer instanceof SegmentGranted granted) {
                    today = namesToday(segment, granted.grant());
                }
                assertThat(asFarAsKnownThen(today.in(answer, HOME_THEN))).isEqualTo(message);
            }
            assertThat(guest.receive()).as("after the goodbye").isEmpty();
        }
    }

    /**
     * A greeting with the minor version and the features of the recording, of which later versions may have more; a refusal
     * with its words, which are for people.
     */
    private static ControlMessage asFarAsKnownThen(ControlMessage message) {
        return switch (message) {
            case Hello m ->
                new Hello(
                        m.major(),
                        1,
                        m.features() & 3,
                        m.required(),
                        m.eid(),
                        m.uasid(),
                        m.incarnation(),
                        m.wanted(),
                        m.address());
            case Refused m -> new Refused(m.request(), m.status(), REFUSAL);
            default -> message;
        };
    }

    private static Fd[] descriptorsWith(ControlMessage message, ShmMemory first, ShmMemory second) {
        return switch (message) {
            case OpenPath _, PathOpened _ -> new Fd[] {first.fd()};
            case OpenWindows _ -> new Fd[] {second.shareReadOnly()};
            case SegmentGranted _ -> new Fd[] {second.fd()};
            default -> new Fd[0];
        };
    }

    private RecordedNames namesToday(ShmSegment segment, long grant) {
        ControlPlane plane = context.plane;
        return new RecordedNames(
                plane.uasid(),
                plane.incarnation(),
                plane.address(),
                segment.tokenId(),
                segment.key(),
                segment.token(),
                grant);
    }

    @Test
    void aRecordedHomeIsAskedAsItWas() throws Exception {
        ControlPlane plane = context.plane;
        RecordedNames today = new RecordedNames(
                plane.uasid(), plane.incarnation(), plane.address(), 0, 0, GUEST_THEN.token(), GUEST_THEN.grant());
        try (Dir place = Dir.open(directory);
                UnixSocket listener = UnixSocket.listen(place, HOME_THEN.address(), 8);
                ShmMemory ring = ShmMemory.allocate(TestContext.RING_BYTES, AllocOptions.DEFAULT, "ring");
                ShmMemory segment = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "segment")) {
            Guest guest = new Guest();
            guest.imports();
            try (RawPeer home = RawPeer.acceptedBy(listener)) {
                for (Said said : recorded()) {
                    ControlMessage message = messageOf(said);
                    if (isByHand(message)) {
                        continue;
                    }
                    if (said.speaker().equals(HOME)) {
                        home.send(message, descriptorsWith(message, ring, segment));
                    } else {
                        guest.causes(message);
                        assertThat(asFarAsKnownThen(today.in(home.receive().orElseThrow(), GUEST_THEN)))
                                .isEqualTo(message);
                    }
                }
            }
        }
    }

    private static boolean isByHand(ControlMessage message) {
        return switch (message) {
            case Request m -> m.request() >= BY_HAND;
            case Answer m -> m.request() >= BY_HAND;
            default -> false;
        };
    }

    /** What an application has the guest of today do, so that it says what the recorded one said. */
    private final class Guest {
        private CompletableFuture<Peer> queue = new CompletableFuture<>();

        void imports() throws Exception {
            var _ = context.plane.importSegment(new ImportRequest(
                    Exports.describe(
                            EID,
                            HOME_THEN.uasid(),
                            new PeerId(HOME_THEN.address(), HOME_THEN.incarnation()),
                            HOME_THEN.tokenId(),
                            HOME_THEN.key(),
                            4096,
                            Access.READ_WRITE_ATOMIC,
                            TokenPolicy.PLAIN_TEXT,
                            0),
                    HOME_THEN.token(),
                    Access.READ_WRITE_ATOMIC,
                    TestContext.LONG));
        }

        void causes(ControlMessage message) throws Exception {
            switch (message) {
                case ImportQueue _ -> importsQueue();
                case Bind m -> {
                    var _ = context.plane.bind(
                            get(queue), m.partner(), m.queue(), m.orderType().value(), TestContext.LONG);
                }
                case Unbind m -> {
                    var _ = context.plane.unbind(get(queue), m.partner(), m.queue(), TestContext.LONG);
                }
                case Goodbye _ -> {
                    var _ = context.plane.close(TestContext.LONG);
                }
                default -> {} // follows by itself from what the home said
            }
        }

        private void importsQueue() {
            queue = context.plane.importQueue(
                    new JettyDescriptor(
                            new JettyId(EID, HOME_THEN.uasid(), TestContext.QUEUE),
                            JettyDescriptor.Kind.JFR,
                            HOME_THEN.incarnation(),
                            TransportMode.RM,
                            OrderType.OI,
                            TokenPolicy.PLAIN_TEXT,
                            List.of(new Endpoint(Exports.KIND, HOME_THEN.address(), 0, 0, false))),
                    TestContext.QUEUE_TOKEN,
                    TestContext.LONG);
        }
    }
}

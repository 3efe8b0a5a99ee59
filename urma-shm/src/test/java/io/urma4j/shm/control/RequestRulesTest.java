package io.urma4j.shm.control;

import static io.urma4j.shm.control.TestContext.LONG;
import static io.urma4j.shm.control.TestContext.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.urma4j.Access;
import io.urma4j.AllocOptions;
import io.urma4j.ContextView;
import io.urma4j.JettyDescriptor;
import io.urma4j.OrderType;
import io.urma4j.Resource;
import io.urma4j.Token;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.shm.memory.ShmMemory;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.control.ControlCodec;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Bind;
import io.urma4j.spi.control.ControlMessage.Done;
import io.urma4j.spi.control.ControlMessage.ImportQueue;
import io.urma4j.spi.control.ControlMessage.ImportSegment;
import io.urma4j.spi.control.ControlMessage.Inspect;
import io.urma4j.spi.control.ControlMessage.Inspected;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Measure;
import io.urma4j.spi.control.ControlMessage.OpenPath;
import io.urma4j.spi.control.ControlMessage.PathOpened;
import io.urma4j.spi.control.ControlMessage.QueueGranted;
import io.urma4j.spi.control.ControlMessage.Refused;
import io.urma4j.spi.control.ControlMessage.Revoke;
import io.urma4j.spi.control.ControlMessage.Revoked;
import io.urma4j.spi.control.ControlMessage.SegmentGranted;
import io.urma4j.spi.control.ControlMessage.Unimport;
import io.urma4j.spi.control.ResourceText;
import io.urma4j.spi.support.FailureLimiter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a request and its answer may contain, and which answer belongs to which request. */
@Timeout(60)
class RequestRulesTest {
    private static final int MAX_DELAYED = 256;

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
    void closed() {
        context.close();
    }

    private static UrmaException failureOf(CompletableFuture<?> future) {
        return catchThrowableOfType(UrmaException.class, () -> get(future));
    }

    // ---- limits

    /** Else one peer could fill the memory of its home. */
    @Test
    void theImportsOfOnePeerAreLimited() throws Exception {
        ShmSegment segment = context.share(Access.READ);
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            for (int i = 1; i <= Exports.MAX_IMPORTS_OF_A_PEER; i++) {
                peer.send(importOf(segment, i));
                peer.receive(SegmentGranted.class);
                peer.received.removeLast().close();
            }

            peer.send(importOf(segment, 0));
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOMEM);

            peer.send(new Unimport(1));
            peer.send(importOf(segment, 0));
            peer.receive(SegmentGranted.class);
        }
    }

    private static ImportSegment importOf(ShmSegment segment, long request) {
        return new ImportSegment(request, segment.tokenId(), segment.key(), Access.READ, segment.token());
    }

    // ---- answers

    /** The numbers of requests are easy to guess; so an answer counts only on the connection of its request. */
    @Test
    void anAnswerOfAnotherHomeIsNoAnswer() throws Exception {
        try (RawHome first = RawHome.at(directory, RawHome.FIRST);
                RawHome second = RawHome.at(directory, RawHome.LAST);
                ShmMemory memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "theirs")) {
            var fromFirst = first.importBy(context, Access.READ, LONG);
            var fromSecond = second.importBy(context, Access.READ, LONG);
            try (RawPeer one = first.greet();
                    RawPeer other = second.greet()) {
                long asked = one.receive(ImportSegment.class).request();
                long askedOther = other.receive(ImportSegment.class).request();

                other.send(new SegmentGranted(asked, 7, Access.READ, 0, 4096), memory.fd());

                assertThat(other.receive()).as("released as unwanted").contains(new Unimport(7));
                assertThat(fromFirst).isNotDone();
                one.send(new SegmentGranted(asked, 1, Access.READ, 0, 4096), memory.fd());
                other.send(new SegmentGranted(askedOther, 2, Access.READ, 0, 4096), memory.fd());
                assertThat(get(fromFirst).home().id()).isEqualTo(RawHome.FIRST);
                assertThat(get(fromSecond).home().id()).isEqualTo(RawHome.LAST);
            }
        }
    }

    @Test
    void anAnswerOfAnotherKindFailsTheRequest() throws Exception {
        assertThat(importAnsweredBy(new Done(1))).hasMessageContaining("Done instead of SegmentGranted");
    }

    @Test
    void aRefusalWithSuccessIsAFailure() throws Exception {
        assertThat(importAnsweredBy(new Refused(1, UrmaStatus.SUCCESS, "odd")).status())
                .isEqualTo(UrmaStatus.FAIL);
    }

    @Test
    void aGrantWithoutItsDescriptorFailsTheRequest() throws Exception {
        assertThat(importAnsweredBy(new SegmentGranted(1, 1, Access.READ, 0, 4096)))
                .hasMessageContaining("too few file descriptors");
    }

    private UrmaException importAnsweredBy(ControlMessage answer) throws Exception {
        try (RawHome home = RawHome.at(directory, RawPeer.ID)) {
            var imported = home.importBy(context, Access.READ, LONG);
            try (RawPeer connection = home.greet()) {
                assertThat(connection.receive(ImportSegment.class).request()).isEqualTo(1);
                connection.send(answer);
                return failureOf(imported);
            }
        }
    }

    @Test
    void aFailureArrivesUnwrapped() throws Exception {
        ShmSegment segment = context.share(Access.READ);
        var wrong = new ImportRequest(
                segment.descriptor(), Token.of(~segment.token().value()), Access.READ, LONG);

        Throwable failure =
                get(context.plane.importSegment(wrong).handle((_, thrown) -> thrown == null ? new Error() : thrown));

        assertThat(failure).isInstanceOf(UrmaException.class);
    }

    @Test
    void aTimeoutBeyondAllTimesIsNoTimeout() throws Exception {
        ShmSegment segment = context.share(Access.READ);
        Duration endless = Duration.ofSeconds(Long.MAX_VALUE);

        get(context.plane.importSegment(
                new ImportRequest(segment.descriptor(), segment.token(), Access.READ, endless)));
    }

    /** A refusal of a bind is a value; that the peer failed, or did not answer, is a failure. */
    @ParameterizedTest
    @EnumSource(
            value = UrmaStatus.class,
            names = {"EINVAL", "EEXIST", "FAIL", "ETIMEOUT"})
    void aBindReturnsItsRefusalUnlessThePeerFailed(UrmaStatus status) throws Exception {
        try (RawHome home = RawHome.at(directory, RawPeer.ID);
                ShmMemory ring = ShmMemory.allocate(TestContext.RING_BYTES, AllocOptions.DEFAULT, "ring")) {
            var imported = context.plane.importQueue(home.queue(RawPeer.UASID), null, LONG);
            try (RawPeer connection = home.greet()) {
                long asked = connection.receive(ImportQueue.class).request();
                connection.send(new QueueGranted(asked, TransportMode.RM, OrderType.OI, 0));
                connection.send(
                        new PathOpened(connection.receive(OpenPath.class).request()), ring.fd());
                Peer peer = get(imported);
                var bound = context.plane.bind(peer, 3, 5, OrderType.OL.value(), LONG);

                connection.send(new Refused(connection.receive(Bind.class).request(), status, "no"));

                if (status == UrmaStatus.FAIL || status == UrmaStatus.ETIMEOUT) {
                    assertThat(failureOf(bound).status()).isEqualTo(status);
                } else {
                    assertThat(get(bound)).isEqualTo(status);
                }
            }
        }
    }

    // ---- requests

    /** Each side sends its requests, and what follows from them, on the connection that it has opened. */
    @Test
    void whatBelongsToTheOtherConnectionEndsThisOne() throws Exception {
        for (ControlMessage homes : List.of(new Revoke(1), new Done(1), RawPeer.hello(1))) {
            try (RawPeer caller = RawPeer.greeted(directory, context.plane)) {
                caller.send(homes);
                assertThat(caller.receive()).as("%s", homes).isEmpty();
            }
        }
        for (ControlMessage callers : List.of(new Revoked(1), new Unimport(1), new Lookup(1, "x", false))) {
            try (RawHome home = RawHome.at(directory, RawPeer.ID)) {
                var imported = home.importBy(context, Access.READ, LONG);
                try (RawPeer connection = home.greet()) {
                    connection.receive(ImportSegment.class);
                    connection.send(callers);
                    assertThat(connection.receive()).as("%s", callers).isEmpty();
                }
                assertThat(failureOf(imported).status()).isEqualTo(UrmaStatus.ETIMEOUT);
            }
        }
    }

    @Test
    void aPageIsCompleteIfItIsNotFull() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            for (int i = 1; i < ControlCodec.MAX_TEXTS; i++) {
                context.resources.add(Resource.builder(Resource.Kind.TP, i).build());
            }
            assertThat(inspect(peer, Resource.Kind.TP, -1).complete())
                    .as("one below")
                    .isTrue();
            context.resources.add(
                    Resource.builder(Resource.Kind.TP, ControlCodec.MAX_TEXTS).build());
            Inspected full = inspect(peer, Resource.Kind.TP, -1);
            assertThat(full.complete()).as("full").isFalse();
            assertThat(full.resources()).hasSize(ControlCodec.MAX_TEXTS);
            assertThat(inspect(peer, Resource.Kind.TP, ControlCodec.MAX_TEXTS).complete())
                    .isTrue();
        }
    }

    private static Inspected inspect(RawPeer peer, Resource.Kind kind, long after) throws Exception {
        peer.send(new Inspect(1, ResourceText.number(kind), after));
        return peer.receive(Inspected.class);
    }

    @Test
    void pathsAndWaitsComeFromTheDataPlaneAndTheRestFromTheContext() throws Exception {
        context.resources.add(Resource.builder(Resource.Kind.TP, 1).build());
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            for (Resource.Kind kind : Resource.Kind.values()) {
                boolean isOfDataPlane = kind == Resource.Kind.TP || kind == Resource.Kind.WAIT;
                assertThat(inspect(peer, kind, -1).resources()).as("%s", kind).hasSize(isOfDataPlane ? 1 : 0);
            }
        }
    }

    @Test
    void anUnknownKindIsRefused() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            for (int kind : new int[] {-1, Resource.Kind.values().length}) {
                peer.send(new Inspect(1, kind, -1));
                assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.EINVAL);
            }
        }
    }

    @Test
    void aContextInspectsAllOthersAndNotItself() throws Exception {
        try (TestContext other = new TestContext(directory)) {
            other.resources.add(Resource.builder(Resource.Kind.TP, 5).build());

            var views = get(context.plane.inspect(Set.of(Resource.Kind.TP), LONG));

            assertThat(views).extracting(ContextView::uasid).containsExactly(other.plane.uasid());
            assertThat(views.getFirst().resources()).hasSize(1);
            assertThat(views.getFirst().process())
                    .isEqualTo("pid " + ProcessHandle.current().pid());
        }
    }

    @Test
    void aRequestToMeasureIsExecuted() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            peer.send(new Measure(4, true));
            assertThat(peer.receive()).contains(new Done(4));
        }
    }

    /** S7.6: its number may be that of others, so that its connection must not end. */
    @Test
    void aPeerWithTooManyDelayedRequestsIsAskedToComeLater() throws Exception {
        ShmSegment segment = context.share(Access.READ);
        var wrong = new ImportSegment(
                1,
                segment.tokenId(),
                segment.key(),
                Access.READ,
                Token.of(~segment.token().value()));
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            for (int i = 0;
                    i < FailureLimiter.BURST + 1 + MAX_DELAYED;
                    i++) { // one more than the burst is answered at once
                peer.sendPatiently(wrong);
            }
            peer.sendPatiently(new Lookup(2, "unknown", false));
            assertThat(answerTo(peer, 2)).as("at the limit it is served").isTrue();

            var next = new ImportSegment(3, wrong.tokenId(), wrong.key(), Access.READ, wrong.token());
            for (int i = 0; i < MAX_DELAYED; i++) {
                peer.sendPatiently(next);
            }
            peer.sendPatiently(new Lookup(4, "unknown", false));

            assertThat(peer.receive(Refused.class))
                    .as("beyond the limit it is refused at once")
                    .returns(3L, Refused::request)
                    .returns(UrmaStatus.EAGAIN, Refused::status);
            assertThat(answerTo(peer, 4)).as("and its connection stays").isTrue();
        }
    }

    /** Whether the answer to that request arrives before the end of the connection. */
    private static boolean answerTo(RawPeer peer, long request) throws Exception {
        for (var next = peer.receive(); next.isPresent(); next = peer.receive()) {
            if (next.get() instanceof Refused refused && refused.request() == request) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aQueueIsGrantedForItsTokenAlone() throws Exception {
        try (RawPeer peer = RawPeer.greeted(directory, context.plane)) {
            peer.send(new ImportQueue(1, TestContext.QUEUE, JettyDescriptor.Kind.JFR, null));
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);
            peer.send(new ImportQueue(2, TestContext.QUEUE + 1, JettyDescriptor.Kind.JFR, TestContext.QUEUE_TOKEN));
            assertThat(peer.receive(Refused.class).status()).isEqualTo(UrmaStatus.ENOPERM);
            peer.send(new ImportQueue(3, TestContext.QUEUE, JettyDescriptor.Kind.JFR, TestContext.QUEUE_TOKEN));
            assertThat(peer.receive(QueueGranted.class).request()).isEqualTo(3);
        }
    }
}

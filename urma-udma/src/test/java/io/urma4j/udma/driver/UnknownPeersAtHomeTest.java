package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import io.urma4j.JettyDescriptor;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Resource;
import io.urma4j.SegmentDescriptor;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ImportRequest;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.SegmentRequest;
import io.urma4j.spi.control.ControlMessage;
import io.urma4j.spi.control.ControlMessage.Inspect;
import io.urma4j.spi.control.ControlMessage.Lookup;
import io.urma4j.spi.control.ControlMessage.Measure;
import io.urma4j.spi.control.ResourceText;
import io.urma4j.spi.support.ControlEngine;
import io.urma4j.udma.control.PeerMessage.BindQueue;
import io.urma4j.udma.control.PeerMessage.Core;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer that has greeted, and imported nothing yet. */
class UnknownPeersAtHomeTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int KEYS = 64;
    private static final Token TOKEN = Token.of(7);

    @TempDir
    Path folder;

    private LoneContext home;
    private LoneContext peer;

    @BeforeEach
    void open() {
        home = new LoneContext(folder, "127.0.72.2", KEYS);
        peer = new LoneContext(folder, "127.0.72.3", KEYS);
    }

    @AfterEach
    void close() {
        peer.close();
        home.close();
    }

    /** What the home does when a flood of greetings needs the place of a peer. */
    private void greetAndEvict() {
        peer.greet(home);
        home.losePeers("another needed its place");
    }

    private CompletableFuture<ProviderImport> importSegment(Token token) {
        UdmaSegment segment = home.context
                .exports()
                .register(new SegmentRequest(
                        null, Arena.ofAuto().allocate(4096, 64), Access.READ, TokenPolicy.PLAIN_TEXT, TOKEN));
        SegmentDescriptor descriptor = segment.descriptor();
        return peer.context.importSegment(new ImportRequest(descriptor, token, Access.READ, PATIENCE));
    }

    @Test
    void aPeerEvictedAfterItsGreetingIsServedAllTheSame() {
        greetAndEvict();

        ProviderImport imported = importSegment(TOKEN).join();

        assertThat(imported).isNotNull();
    }

    /** The second answer is the answer. */
    @Test
    void aPeerEvictedAfterItsGreetingHearsOfItsWrongToken() {
        greetAndEvict();

        assertThatThrownBy(() -> importSegment(Token.of(8)).join())
                .cause()
                .isInstanceOfSatisfying(
                        UrmaException.class,
                        refusal -> assertThat(refusal.status()).isEqualTo(UrmaStatus.ENOPERM));
    }

    /** The number of a Jetty is no secret: its token is. Even one who may read a segment does not take its only place. */
    @Test
    void aJettyIsBoundOnlyToAPeerThatShowedItsToken() {
        UdmaContext context = home.context;
        var jfc = context.createJfc(JfcConfig.DEFAULT, () -> {});
        var receives = context.createReceiveQueue(
                JfrConfig.builder().mode(TransportMode.RC).token(TOKEN).build(), jfc);
        JettyDescriptor jetty = context.createSendQueue(
                        JfsConfig.builder().mode(TransportMode.RC).build(), jfc, receives, jfc)
                .descriptor();

        assertThat(statusOfBinding(jetty)).isEqualTo(UrmaStatus.ENOPERM);
        importSegment(TOKEN).join();
        assertThat(statusOfBinding(jetty)).isEqualTo(UrmaStatus.ENOPERM);
        peer.context.importQueue(jetty, TOKEN, PATIENCE).join();
        assertThat(statusOfBinding(jetty)).isEqualTo(UrmaStatus.SUCCESS);
    }

    /** A name brings a token, and the greeting of a stranger is no reason to give one away. */
    @Test
    void onlyProcessesOfTheSameUserOnThisHostLookUpNamesAndInspect(@TempDir Path elsewhere) {
        UdmaSegment segment = home.context
                .exports()
                .register(new SegmentRequest(
                        null, Arena.ofAuto().allocate(4096, 64), Access.READ, TokenPolicy.PLAIN_TEXT, TOKEN));
        segment.publish("orders", true).join();

        for (Function<Long, ControlMessage> question : List.<Function<Long, ControlMessage>>of(
                number -> new Lookup(number, "orders", true),
                number -> new Inspect(number, ResourceText.number(Resource.Kind.CONTEXT), -1),
                number -> new Measure(number, false))) {
            assertThat(statusOf(peer, question)).isEqualTo(UrmaStatus.SUCCESS);
            try (LoneContext stranger = new LoneContext(elsewhere, "127.0.72.4", KEYS)) {
                assertThat(statusOf(stranger, question)).isEqualTo(UrmaStatus.ENOPERM);
            }
        }
    }

    private UrmaStatus statusOf(LoneContext from, Function<Long, ControlMessage> question) {
        ControlEngine engine = from.adapter.engine();
        long deadlineNanos = engine.deadline(PATIENCE);
        return engine.ask(() -> from.context
                        .peers()
                        .connect(home.adapter.address(), home.context.incarnation(), deadlineNanos)
                        .thenCompose(path -> from.context
                                .peers()
                                .plane()
                                .ask(
                                        path.peer(),
                                        number -> new Core(question.apply(number)),
                                        deadlineNanos,
                                        from.adapter.nanos())))
                .handle((_, failure) -> failure == null
                        ? UrmaStatus.SUCCESS
                        : ((UrmaException) ControlEngine.causeOf(failure)).status())
                .join();
    }

    private UrmaStatus statusOfBinding(JettyDescriptor jetty) {
        UdmaEndpoint endpoint = UdmaEndpoint.of("Jetty", jetty.endpoints()).orElseThrow();
        return peer.adapter
                .engine()
                .ask(() -> peer.context
                        .peers()
                        .connect(
                                endpoint.at(),
                                jetty.incarnation(),
                                peer.adapter.engine().deadline(PATIENCE))
                        .thenCompose(path -> peer.context
                                .peers()
                                .plane()
                                .ask(
                                        path.peer(),
                                        _ -> new BindQueue(
                                                endpoint.number(),
                                                77,
                                                jetty.orderType().value(),
                                                1,
                                                1024),
                                        peer.adapter.engine().deadline(PATIENCE),
                                        peer.adapter.nanos())))
                .handle((_, failure) -> failure == null
                        ? UrmaStatus.SUCCESS
                        : ((UrmaException) ControlEngine.causeOf(failure)).status())
                .join();
    }
}

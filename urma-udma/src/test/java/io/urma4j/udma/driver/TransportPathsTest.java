package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.Counters;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.RemoteMemory;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.TransportMode;
import io.urma4j.TransportPath;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.spi.control.ResourceText;
import io.urma4j.tck.Patience;
import io.urma4j.udma.device.Card;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the connections of a context have counted, as its program, another context and a recording see it. */
class TransportPathsTest {
    private static final byte[] BYTES = new byte[200_000];
    private static final int WRITES = 20;

    @TempDir
    private Path folder;

    private UrmaOptions options() {
        return UrmaOptions.DEFAULT.withRuntimeDirectory(folder.resolve("runtime"));
    }

    private static void writeMuch(UrmaContext home, UrmaContext peer) {
        var segment = home.register(home.allocate(BYTES.length), Access.READ_WRITE);
        try (RemoteMemory memory = peer.importMemory(segment.share())) {
            for (int i = 0; i < WRITES; i++) {
                memory.write(0, BYTES);
            }
        }
    }

    private static TransportPath path(UrmaContext context, UrmaContext peer) {
        return context.paths().stream()
                .filter(path -> path.peer().endsWith("/" + peer.uasid()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void retransmissionsOfALossyNetworkAreCounted() {
        UrmaOptions lossy = options().withSetting("urma.udma.loss", "0.05:7");
        try (Urma urma = Urma.open(lossy);
                UrmaContext home = urma.device("udma0").openContext();
                UrmaContext peer = urma.device("udma0").openContext()) {
            writeMuch(home, peer);

            TransportPath path = path(peer, home);
            assertThat(path.state()).isEqualTo("READY");
            assertThat(path.number()).isGreaterThanOrEqualTo(Card.FIRST_CONNECTION);
            assertThat(path.process())
                    .isEqualTo("pid " + ProcessHandle.current().pid());
            assertThat(path.counters().get("sent")).isGreaterThan(WRITES);
            assertThat(path.counters().get("received")).isPositive();
            assertThat(path.counters().get("retransmitted"))
                    .isPositive()
                    .isLessThan(path.counters().get("sent") / 2);
            assertThat(path.counters().get("gapNaks") + path.counters().get("timeouts"))
                    .isPositive();
            assertThat(path.counters().get("window")).isPositive();
            assertThat(path.counters().get("rttNanos")).isPositive();
            assertThat(path.counters().get("rtoNanos")).isPositive();
            assertThat(path(home, peer).counters().get("gapsSeen")).isPositive();
        }
    }

    /** Early packets are kept in the memory that they were received in. */
    @Test
    void whatArrivesOverALossyNetworkIsWhatWasWritten() {
        UrmaOptions lossy = options()
                .withSetting("urma.udma.loss", "0.05:11")
                .withSetting("urma.udma.addresses", "127.0.0.1"); // long packets
        byte[] bytes = new byte[3 << 20];
        Random random = new Random(7);
        try (Urma urma = Urma.open(lossy);
                UrmaContext home = urma.device("udma0").openContext();
                UrmaContext peer = urma.device("udma0").openContext()) {
            var segment = home.register(home.allocate(bytes.length), Access.READ_WRITE);
            try (RemoteMemory memory = peer.importMemory(segment.share())) {
                for (int i = 0; i < WRITES; i++) {
                    random.nextBytes(bytes);
                    memory.write(0, bytes);
                    assertThat(segment.memory().mismatch(MemorySegment.ofArray(bytes)))
                            .as("round %d", i)
                            .isEqualTo(-1);
                }
            }
            assertThat(path(home, peer).counters().get("gapsSeen")).isPositive();
        }
    }

    @Test
    void anotherContextSeesWhatTheProgramSees() {
        try (Urma urma = Urma.open(options());
                UrmaContext looking = urma.device("udma0").openContext();
                UrmaContext home = urma.device("udma0").openContext();
                UrmaContext peer = urma.device("udma0").openContext()) {
            writeMuch(home, peer);
            TransportPath own = path(peer, home);

            Resource seen = looking.inspect(Set.of(Kind.TP)).stream()
                    .filter(view -> view.uasid() == peer.uasid())
                    .flatMap(view -> view.resources(Kind.TP).stream())
                    .findFirst()
                    .orElseThrow();

            assertThat(seen.fields().firstEntry().getKey()).isEqualTo("tpn");
            assertThat(seen.id()).isEqualTo(own.number());
            assertThat(seen.fields())
                    .containsKeys(own.counters().asMap().keySet().toArray(String[]::new));
            assertThat(Long.parseLong(seen.field("sent")))
                    .isGreaterThanOrEqualTo(own.counters().get("sent"));
            assertThat(looking.paths()).isEmpty();
        }
    }

    /** A text between processes has an end, where the last counters would be cut off. */
    @Test
    void countersOfABusyPathAreShown() {
        try (Urma urma = Urma.open(options());
                UrmaContext home = urma.device("udma0").openContext();
                UrmaContext peer = urma.device("udma0").openContext()) {
            writeMuch(home, peer);
            TransportPath path = path(peer, home);
            Counters.Builder high = Counters.builder();
            path.counters().asMap().keySet().forEach(name -> high.add(name, 999_999_999_999L));
            Resource busy = new TransportPath(
                            path.number(),
                            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/65535",
                            "pid 4194304",
                            path.state(),
                            high.build())
                    .toResource();

            assertThat(ResourceText.parse(Kind.TP, ResourceText.of(busy))).isEqualTo(busy);
        }
    }

    @Test
    void boundJettyHasAPathOfItsOwnUnderItsNumber() {
        try (Urma urma = Urma.open(options());
                UrmaContext home = urma.device("udma0").openContext();
                UrmaContext peer = urma.device("udma0").openContext()) {
            JfsConfig rc = JfsConfig.builder().mode(TransportMode.RC).build();
            JfrConfig receives = JfrConfig.builder().mode(TransportMode.RC).build();
            var jfc = home.createJfc(JfcConfig.DEFAULT);
            var theirs = home.createJetty(jfc, home.createJfr(jfc, receives), rc);
            var ownJfc = peer.createJfc(JfcConfig.DEFAULT);
            var own = peer.createJetty(ownJfc, peer.createJfr(ownJfc, receives), rc);

            own.bind(peer.importJetty(theirs.share()));

            assertThat(peer.paths())
                    .filteredOn(path -> path.number() < Card.FIRST_CONNECTION)
                    .singleElement()
                    .satisfies(path -> assertThat(path.peer()).endsWith("/" + home.uasid()));
            own.unbind();
            assertThat(peer.paths()).allMatch(path -> path.number() >= Card.FIRST_CONNECTION);
        }
    }

    @Test
    void messageWithoutAReceiveIsCountedAtBothEnds() {
        try (Urma urma = Urma.open(options());
                UrmaContext home = urma.device("udma0").openContext();
                UrmaContext peer = urma.device("udma0").openContext()) {
            var jfr = home.createJfr(
                    home.createJfc(JfcConfig.DEFAULT), JfrConfig.builder().build());
            var target = peer.importJetty(jfr.share());
            var queue = peer.createJfs(peer.createJfc(JfcConfig.DEFAULT), JfsConfig.DEFAULT);
            var buffer = peer.register(peer.allocate(4096), Access.LOCAL_ONLY);

            queue.send(target, buffer, 0, 8, 1);
            Patience.await("the RNR NAK", () -> path(peer, home).counters().get("rnrReceived") > 0);

            assertThat(path(home, peer).counters().get("rnrSent")).isPositive();
            assertThat(path(peer, home).counters().get("nakAccessReceived")).isZero();
        }
    }

    @Test
    void recordingGetsTheCountersOfEachPathOnceASecond() throws Exception {
        try (Urma urma = Urma.open(options());
                UrmaContext home = urma.device("udma0").openContext();
                UrmaContext peer = urma.device("udma0").openContext()) {
            writeMuch(home, peer);
            List<RecordedEvent> events = Collections.synchronizedList(new ArrayList<>());
            CountDownLatch enough = new CountDownLatch(4);
            try (var stream = new RecordingStream()) {
                stream.enable("io.urma4j.NetworkPath");
                stream.setReuse(false);
                stream.onEvent("io.urma4j.NetworkPath", event -> {
                    events.add(event);
                    enough.countDown();
                });
                stream.startAsync();
                assertThat(enough.await(30, TimeUnit.SECONDS)).isTrue();
            }

            assertThat(events).anySatisfy(event -> {
                TransportPath path = path(peer, home);
                assertThat(event.getString("context")).isEqualTo(peer.toString());
                assertThat(event.getLong("path")).isEqualTo(path.number());
                assertThat(event.getLong("sent")).isPositive();
                for (String name : List.of("sentAtOnce", "probes", "timeouts", "ignored", "contradicted")) {
                    assertThat(event.hasField(name)).as(name).isTrue();
                    assertThat(event.getLong(name))
                            .as(name)
                            .isEqualTo(path.counters().get(name));
                }
                assertThat(event.getLong("window")).isPositive();
                assertThat(event.getDuration("roundTrip")).isPositive();
            });
        }
    }
}

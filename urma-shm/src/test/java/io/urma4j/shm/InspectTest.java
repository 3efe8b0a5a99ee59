package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.ContextView;
import io.urma4j.JettyGroupConfig;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.Token;
import io.urma4j.TokenPolicy;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What one context shows to another that looks in. */
class InspectTest {
    private static final int KB = 1024;

    @TempDir
    Path folder;

    private Urma urma;
    private UrmaContext looking;
    private UrmaContext home;
    private UrmaContext peer;

    @BeforeEach
    void open() {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(folder.resolve("runtime")));
        looking = urma.device("shm0").openContext();
        home = urma.device("shm0").openContext();
        peer = urma.device("shm0").openContext();
    }

    @AfterEach
    void close() {
        urma.close();
    }

    private ContextView view(UrmaContext of, Set<Kind> kinds) {
        return looking.inspect(kinds).stream()
                .filter(view -> view.uasid() == of.uasid())
                .findFirst()
                .orElseThrow();
    }

    private List<Resource> resources(UrmaContext of, Kind kind) {
        return view(of, Set.of(kind)).resources(kind);
    }

    @Test
    void everyOtherContextIsSeenWithItsProcess() {
        assertThat(looking.inspect(Set.of(Kind.CONTEXT)))
                .extracting(ContextView::uasid)
                .containsExactlyInAnyOrder(home.uasid(), peer.uasid());
        assertThat(view(home, Set.of(Kind.CONTEXT)).process())
                .isEqualTo("pid " + ProcessHandle.current().pid());
        assertThat(view(home, Set.of(Kind.CONTEXT)).failure()).isEmpty();
    }

    @Test
    void queuesAreShownUnderUrmasColumnNames() {
        var jfc = home.createJfc(new JfcConfig(64, false));
        var jfr = home.createJfr(jfc, JfrConfig.builder().depth(32).build());
        var jetty = home.createJetty(jfc, jfr, JfsConfig.builder().depth(16).build());

        assertThat(resources(home, Kind.JFC)).singleElement().satisfies(seen -> {
            assertThat(seen.field("jfc_id")).isEqualTo(String.valueOf(jfc.id()));
            assertThat(seen.field("state")).isEqualTo("0 [VALID]");
            assertThat(seen.field("depth")).isEqualTo("64");
        });
        assertThat(resources(home, Kind.JFR))
                .singleElement()
                .satisfies(seen -> assertThat(seen.field("depth")).isEqualTo("32"));
        assertThat(resources(home, Kind.JETTY)).singleElement().satisfies(seen -> {
            assertThat(seen.field("jetty_id")).isEqualTo(String.valueOf(jetty.id()));
            assertThat(seen.field("state")).isEqualTo("1 [READY]");
            assertThat(seen.field("jfr_id")).isEqualTo(String.valueOf(jfr.id()));
            assertThat(seen.field("jfs_depth")).isEqualTo("16");
        });
    }

    @Test
    void groupsAreShownWithTheirMembers() {
        var jfc = home.createJfc(new JfcConfig(64, false));
        var jfr = home.createJfr(jfc, JfrConfig.builder().depth(32).build());
        var jetty = home.createJetty(jfc, jfr, JfsConfig.builder().depth(16).build());
        var group = home.createJettyGroup(
                JettyGroupConfig.builder().token(jfr.token()).build());
        group.add(jetty);
        try {
            assertThat(resources(home, Kind.JETTY_GROUP)).singleElement().satisfies(seen -> {
                assertThat(seen.field("jetty_cnt")).isEqualTo("1");
                assertThat(seen.field("jetty")).isEqualTo(String.valueOf(jetty.id()));
            });
        } finally {
            group.remove(jetty);
        }
    }

    @Test
    void segmentsAreShownWithTheirImportersAndWithoutTheirToken() {
        var token = Token.of(0x7654_3210);
        var segment = home.register(home.allocate(4 * KB), Access.READ, TokenPolicy.PLAIN_TEXT, token);
        peer.importSegment(segment.descriptor(), token);

        var seen = resources(home, Kind.SEG);

        assertThat(seen).singleElement().satisfies(one -> {
            assertThat(one.field("token_id"))
                    .isEqualTo(String.valueOf(segment.descriptor().tokenId()));
            assertThat(one.field("len")).isEqualTo("4096");
            assertThat(one.field("importers")).contains("uasid " + peer.uasid());
        });
        assertThat(resources(peer, Kind.IMPORT))
                .singleElement()
                .satisfies(one -> assertThat(one.field("home")).endsWith("/" + home.uasid()));
        assertThat(looking.inspect(EnumSet.allOf(Kind.class)).toString())
                .doesNotContain("1985229328")
                .doesNotContainIgnoringCase("76543210");
    }

    @Test
    void messageWithoutAReceiverIsShownToWaitForIt() {
        var jfr = home.createJfr(
                home.createJfc(JfcConfig.DEFAULT), JfrConfig.builder().build());
        var target = peer.importJetty(jfr.descriptor(), jfr.token());
        var queue = peer.createJfs(peer.createJfc(JfcConfig.DEFAULT), JfsConfig.DEFAULT);
        var buffer = peer.register(peer.allocate(KB), Access.LOCAL_ONLY);

        queue.send(target, buffer, 0, 8, 1);

        await().untilAsserted(() -> assertThat(resources(peer, Kind.WAIT))
                .singleElement()
                .satisfies(wait -> {
                    assertThat(wait.field("queue")).isEqualTo(String.valueOf(queue.id()));
                    assertThat(wait.field("wr_cnt")).isEqualTo("1");
                    assertThat(wait.field("waits_for")).startsWith("a receive work request there");
                    assertThat(wait.field("of")).contains("/" + jfr.id()).contains("uasid " + home.uasid());
                }));
        assertThat(resources(peer, Kind.TP))
                .singleElement()
                .satisfies(path -> assertThat(path.field("peer")).endsWith("/" + home.uasid()));
        assertThat(resources(peer, Kind.CONTEXT))
                .singleElement()
                .satisfies(sums -> assertThat(sums.field("tx_bytes")).isEqualTo("8"));
    }

    @Test
    void pathsCountMessagesSlotsAndFullRings() {
        var receives = home.createJfc(JfcConfig.DEFAULT);
        var jfr = home.createJfr(receives, JfrConfig.builder().depth(8).build());
        var target = peer.importJetty(jfr.share());
        var sends = peer.createJfc(JfcConfig.DEFAULT);
        var queue = peer.createJfs(sends, JfsConfig.builder().depth(8).build());
        var buffer = peer.register(peer.allocate(256 * KB), Access.LOCAL_ONLY);
        var room = home.register(home.allocate(256 * KB), Access.LOCAL_ONLY);
        for (int i = 0; i < 4; i++) {
            jfr.receive(room, 0, 256 * KB, i);
        }

        queue.send(target, buffer, 0, 8, 1);
        queue.send(target, buffer, 0, 8, 2);
        queue.send(target, buffer, 0, 256 * KB, 3);
        var batch = new CompletionBatch(8);
        await().until(() -> receives.poll(batch) >= 0 && jfr.counters().get("received") == 3);
        await().until(() ->
                sends.poll(batch) >= 0 && peer.paths().getFirst().counters().get("inFlight") == 0);

        assertThat(peer.paths()).singleElement().satisfies(path -> {
            assertThat(path.peer()).endsWith("/" + home.uasid());
            assertThat(path.state()).isEqualTo("READY");
            assertThat(path.counters().get("sent")).isEqualTo(3);
            assertThat(path.counters().get("slotsSent")).isGreaterThan(3);
            assertThat(path.counters().get("received")).isZero();
        });
        assertThat(home.paths()).singleElement().satisfies(path -> {
            assertThat(path.counters().get("received")).isEqualTo(3);
            assertThat(path.counters().get("slotsReceived"))
                    .isEqualTo(peer.paths().getFirst().counters().get("slotsSent"));
        });
        assertThat(resources(peer, Kind.TP))
                .singleElement()
                .satisfies(path -> assertThat(path.field("sent")).isEqualTo("3"));
    }

    @Test
    void moreThanAPageIsSeenWhole() {
        var memory = home.allocate(4 * KB);
        for (int i = 0; i < 200; i++) {
            home.register(memory, Access.READ_WRITE);
        }

        assertThat(resources(home, Kind.SEG))
                .hasSize(200)
                .extracting(seen -> seen.field("token_id"))
                .doesNotHaveDuplicates();
    }

    @Test
    void eventsAreSeenAlsoWhenTheirOwnerHasTakenThem() throws Exception {
        var segment = home.register(home.allocate(KB), Access.READ);
        peer.importSegment(segment.descriptor(), segment.token());
        segment.close();

        await().until(() -> peer.events().poll().isPresent());

        assertThat(resources(peer, Kind.EVENT)).singleElement().satisfies(event -> {
            assertThat(event.field("type")).isEqualTo("SEGMENT_REVOKED");
            assertThat(event.field("object")).contains("segment");
        });
    }

    @Test
    void contextThatHasClosedIsNotSeen() {
        home.close();

        assertThat(looking.inspect(Set.of(Kind.CONTEXT)))
                .extracting(ContextView::uasid)
                .containsExactly(peer.uasid());
    }

    @Test
    void aContextThatIsMeasuredTellsTheTimesOfItsStages() {
        long own = ProcessHandle.current().pid();
        assertThat(looking.measure(true, OptionalLong.of(own)))
                .extracting(ContextView::uasid)
                .containsExactlyInAnyOrder(home.uasid(), peer.uasid());
        assertThat(looking.measure(true, OptionalLong.of(own + 1))).isEmpty();
        var segment = home.register(home.allocate(4 * KB), Access.READ_WRITE_ATOMIC);
        var remote = peer.importSegment(segment.descriptor(), segment.token());
        var local = peer.register(peer.allocate(4 * KB), Access.LOCAL_ONLY);
        var jfc = peer.createJfc(new JfcConfig(64, false));
        var jfs = peer.createJfs(jfc, JfsConfig.DEFAULT);
        var batch = new CompletionBatch(8);
        for (long i = 0; i < 100; i++) {
            jfs.write(remote, 0, local, 0, 8, i);
            assertThat(jfc.poll(batch)).isEqualTo(1);
            assertThat(batch.userContext(0)).isEqualTo(i);
        }
        looking.measure(false, OptionalLong.empty());
        jfs.write(remote, 0, local, 0, 8, 100);
        assertThat(jfc.poll(batch)).isEqualTo(1);
        assertThat(batch.userContext(0)).isEqualTo(100);

        assertThat(resources(peer, Kind.PERF))
                .filteredOn(line -> line.field("count").equals("100"))
                .extracting(line -> line.field("stage"))
                .containsExactly("post write", "execute write", "complete");
        assertThat(resources(home, Kind.PERF))
                .extracting(line -> line.field("stage"))
                .containsExactly("register segment");
    }
}

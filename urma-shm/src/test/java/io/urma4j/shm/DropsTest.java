package io.urma4j.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.ReceiveState;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.SharedJetty;
import io.urma4j.TargetJetty;
import io.urma4j.TransportMode;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** S12.1: a datagram that is lost is counted by the reason for which it was. */
@Timeout(60)
class DropsTest {
    @TempDir
    Path folder;

    private Urma urma;
    private UrmaContext home;
    private UrmaContext peer;
    private Jfr jfr;
    private LocalSegment buffer;
    private Jfc sendJfc;
    private Jfs jfs;
    private LocalSegment source;
    private TargetJetty target;

    @BeforeEach
    void open() {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(folder.resolve("runtime")));
        home = urma.device("shm0").openContext();
        peer = urma.device("shm0").openContext();
        jfr = home.createJfr(
                home.createJfc(JfcConfig.DEFAULT.withDepth(2)),
                JfrConfig.builder().mode(TransportMode.UM).depth(8).build());
        buffer = home.register(home.allocate(4096), Access.LOCAL_ONLY);
        sendJfc = peer.createJfc(JfcConfig.DEFAULT);
        jfs = peer.createJfs(sendJfc, JfsConfig.builder().mode(TransportMode.UM).build());
        source = peer.register(peer.allocate(64), Access.LOCAL_ONLY);
        target = peer.importJetty(new SharedJetty(jfr.descriptor(), jfr.token()));
    }

    @AfterEach
    void close() {
        urma.close();
    }

    private void send() {
        assertThat(jfs.send(target, source, 0, 8, 0)).isTrue();
        var batch = new CompletionBatch(1);
        await().pollInSameThread().until(() -> sendJfc.poll(batch) == 1);
        assertThat(batch.isSuccess(0)).isTrue();
    }

    private void assertLostOnlyFor(String reason, long count) {
        await().untilAsserted(() -> assertThat(jfr.counters().get(reason)).isEqualTo(count));
        assertThat(jfr.counters().get("dropped")).isEqualTo(count);
    }

    @Test
    void withoutAReceiveWorkRequest() {
        send();
        send();

        assertLostOnlyFor("droppedNoReceive", 2);
    }

    @Test
    void inAStateThatTakesNothing() {
        jfr.receive(buffer, 0, 64, 1);
        jfr.modify(ReceiveState.RESET);
        send();
        await().until(() -> jfr.counters().get("dropped") == 1);
        jfr.modify(ReceiveState.READY);
        jfr.modify(ReceiveState.ERROR);
        send();

        assertLostOnlyFor("droppedWrongState", 2);
    }

    @Test
    void withoutRoomForTheRecord() {
        for (int i = 0; i < 3; i++) {
            jfr.receive(buffer, 64L * i, 64, i);
            send();
        }

        assertLostOnlyFor("droppedJfcFull", 1); // two have found room
    }

    @Test
    void toAPeerThatIsGone() {
        home.close();

        await().untilAsserted(() -> {
            send();
            assertThat(jfs.counters().get("droppedPeerGone")).isPositive();
        });
        assertThat(jfs.counters().get("dropped")).isEqualTo(jfs.counters().get("droppedPeerGone"));
        assertThat(jfs.counters().get("droppedPeerSilent")).isZero();
    }

    /** What {@code urma admin stats} shows are these fields. */
    @Test
    void othersSeeTheReasons() {
        send();
        assertLostOnlyFor("droppedNoReceive", 1);

        Resource seen = peer.inspect(Set.of(Kind.JFR)).stream()
                .filter(view -> view.uasid() == home.uasid())
                .findFirst()
                .orElseThrow()
                .resources(Kind.JFR)
                .getFirst();
        assertThat(seen.field("dropped")).isEqualTo("1");
        assertThat(seen.field("droppedNoReceive")).isEqualTo("1");
        assertThat(seen.field("droppedJfcFull")).isEqualTo("0");
    }
}

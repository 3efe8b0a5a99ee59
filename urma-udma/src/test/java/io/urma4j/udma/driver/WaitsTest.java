package io.urma4j.udma.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Resource;
import io.urma4j.Resource.Kind;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaOptions;
import io.urma4j.tck.Patience;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code urma admin} shows of work requests that wait. */
class WaitsTest {
    @TempDir
    Path folder;

    private Urma urma;
    private UrmaContext looking;
    private UrmaContext home;
    private UrmaContext peer;

    @BeforeEach
    void open() {
        urma = Urma.open(UrmaOptions.DEFAULT.withRuntimeDirectory(folder.resolve("runtime")));
        looking = urma.device("udma0").openContext();
        home = urma.device("udma0").openContext();
        peer = urma.device("udma0").openContext();
    }

    @AfterEach
    void close() {
        urma.close();
    }

    private List<Resource> waits() {
        return looking.inspect(Set.of(Kind.WAIT)).stream()
                .filter(view -> view.uasid() == peer.uasid())
                .flatMap(view -> view.resources(Kind.WAIT).stream())
                .toList();
    }

    @Test
    void messageWithoutAReceiverIsShownToWaitForItAndWhatIsBehindForTheMessage() {
        var jfr = home.createJfr(
                home.createJfc(JfcConfig.DEFAULT), JfrConfig.builder().build());
        var segment = home.register(home.allocate(4096), Access.READ_WRITE);
        var target = peer.importJetty(jfr.descriptor(), jfr.token());
        var remote = peer.importSegment(segment.descriptor(), segment.token());
        var queue = peer.createJfs(peer.createJfc(JfcConfig.DEFAULT), JfsConfig.DEFAULT);
        var buffer = peer.register(peer.allocate(4096), Access.LOCAL_ONLY);
        assertThat(waits()).isEmpty();

        queue.send(target, buffer, 0, 8, 1);
        queue.write(remote, 0, buffer, 0, 8, 2);
        queue.write(remote, 8, buffer, 0, 8, 3);

        Patience.await("both reasons", () -> waits().size() == 2);
        assertThat(waits().getFirst()).satisfies(wait -> {
            assertThat(wait.field("queue")).isEqualTo(String.valueOf(queue.id()));
            assertThat(wait.field("wr_cnt")).isEqualTo("1");
            assertThat(wait.field("waits_for")).isEqualTo("a receive work request there");
            assertThat(wait.field("of")).startsWith("queue ").contains("uasid " + home.uasid());
        });
        assertThat(waits().getLast()).satisfies(wait -> {
            assertThat(wait.field("wr_cnt")).isEqualTo("2");
            assertThat(wait.field("waits_for")).isEqualTo("earlier messages to the same home");
            assertThat(wait.field("of")).contains("uasid " + home.uasid());
        });

        jfr.receive(home.register(home.allocate(64), Access.LOCAL_ONLY), 0, 64, 1);
        Patience.await("nothing that waits", () -> waits().isEmpty());
    }
}

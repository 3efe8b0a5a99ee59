package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Resource.Kind;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an inspection shows of a context while another thread closes queues of it. */
class InventoryTest {
    private Urma urma;
    private UrmaContext context;
    private FakeContext fake;
    private Jfc jfc;

    @BeforeEach
    void open() {
        urma = Urma.open();
        context = urma.device("fake0").openContext();
        fake = FakeContext.of(context);
        jfc = context.createJfc(JfcConfig.DEFAULT);
    }

    @AfterEach
    void close() {
        urma.close();
    }

    private List<Resource> seen(Kind kind) {
        return fake.events.resources(kind, 0, 100);
    }

    @Test
    void aQueueThatIsClosedDuringAnInspectionIsLeftOut() {
        Jfs first = context.createJfs(jfc, JfsConfig.DEFAULT);
        Jfs closed = context.createJfs(jfc, JfsConfig.DEFAULT);
        fake.whileCounting = closed::close;

        assertThat(seen(Kind.JFS)).extracting(Resource::id).containsExactly((long) first.id());
    }

    @Test
    void sumsOverQueuesLeaveOutThoseThatAreClosedMeanwhile() {
        Jfs first = context.createJfs(jfc, JfsConfig.DEFAULT);
        Jfs closed = context.createJfs(jfc, JfsConfig.DEFAULT);
        Jfr jfr = context.createJfr(jfc, JfrConfig.builder().build());
        Jetty jetty = context.createJetty(jfc, jfr, JfsConfig.DEFAULT);
        first.post(new WorkRequestList(1, 1).nop(0));
        closed.post(new WorkRequestList(1, 1).nop(0));
        jetty.jfs().post(new WorkRequestList(1, 1).nop(0));
        fake.whileCounting = () -> {
            closed.close();
            jetty.close();
            jfr.close();
        };

        assertThat(seen(Kind.CONTEXT))
                .singleElement()
                .satisfies(sums -> assertThat(sums.field("tx_pkt")).isEqualTo("1"));
    }
}

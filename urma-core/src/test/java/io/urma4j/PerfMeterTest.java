package io.urma4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.FakeContext.FakeSendQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Measuring a context: what is reported, and that users see their own user contexts in all cases. */
class PerfMeterTest {
    private Urma urma;
    private UrmaContext context;
    private Jfc jfc;
    private Jfs jfs;
    private LocalSegment local;
    private RemoteSegment remote;

    @BeforeEach
    void open() {
        urma = Urma.open();
        context = urma.device("fake0").openContext();
        jfc = context.createJfc(JfcConfig.DEFAULT);
        jfs = context.createJfs(jfc, JfsConfig.DEFAULT);
        local = context.register(context.allocate(64), Access.READ_WRITE_ATOMIC);
        remote = context.importSegment(local.descriptor(), local.token());
    }

    @AfterEach
    void close() {
        urma.close();
    }

    private void measure(boolean on) {
        if (on) {
            context.meter().start(context.children().snapshot());
        } else {
            context.meter().stop(context.children().snapshot());
        }
    }

    private boolean write(long userContext) {
        return jfs.write(remote, 0, local, 0, 8, userContext);
    }

    private List<Long> polled() {
        CompletionBatch batch = new CompletionBatch(16);
        List<Long> contexts = new ArrayList<>();
        while (jfc.poll(batch) > 0) {
            batch.completions().forEach(record -> contexts.add(record.userContext()));
        }
        return contexts;
    }

    private long count(String stage) {
        return context.meter().resources().stream()
                .filter(line -> line.field("stage").equals(stage))
                .mapToLong(line -> Long.parseLong(line.field("count")))
                .sum();
    }

    @Test
    void nothingIsToldOfWhatWasNeverMeasured() {
        write(1);
        polled();

        assertThat(context.meter().resources()).isEmpty();
    }

    @Test
    void eachPostIsCountedAndOneAtATimeIsFollowed() {
        measure(true);
        for (int i = 0; i < 3; i++) {
            write(i);
        }
        polled();
        write(9);
        polled();

        assertThat(count("post write")).isEqualTo(4);
        assertThat(count("execute write")).isEqualTo(2);
        assertThat(count("complete")).isEqualTo(2);
        assertThat(context.meter().resources())
                .allSatisfy(line -> assertThat(Double.parseDouble(line.field("t_median")))
                        .isBetween(Double.parseDouble(line.field("t_min")), Double.parseDouble(line.field("t_max"))));
    }

    @Test
    void everyKindOfPostHasItsStage() {
        measure(true);
        TargetJetty target = context.importJetty(
                context.createJfr(jfc, JfrConfig.builder().depth(4).build()).descriptor(), Token.of(1));
        jfs.read(remote, 0, local, 0, 8, 1);
        jfs.fetchAndAdd(remote, 0, local, 0, 1, 2);
        jfs.send(target, local, 0, 8, 3);
        jfs.post(new WorkRequestList(1, 1).write(remote, 0, 4).from(local, 0, 8));

        assertThat(polled()).containsExactly(1L, 2L, 3L, 4L);
        assertThat(List.of(count("post read"), count("post atomic"), count("post send"), count("post write")))
                .containsOnly(1L);
        assertThat(count("import jetty")).isEqualTo(1);
        assertThat(count("create jfr")).isEqualTo(1);
    }

    @Test
    void usersSeeTheirOwnUserContexts() {
        measure(true);
        write(7);
        write(7);
        measure(false);
        write(7);
        assertThat(polled()).containsExactly(7L, 7L, 7L);

        measure(true);
        write(Long.MIN_VALUE);
        measure(true);
        write(0);
        assertThat(polled()).containsExactly(Long.MIN_VALUE, 0L);
    }

    @Test
    void whatIsNotAcceptedIsNotFollowed() {
        measure(true);
        FakeSendQueue.of(jfs).room = 0;
        assertThat(write(1)).isFalse();
        FakeSendQueue.of(jfs).room = 1;
        assertThat(write(2)).isTrue();

        assertThat(polled()).containsExactly(2L);
        assertThat(count("execute write")).isEqualTo(1);
    }

    @Test
    void aListMayBePostedAgain() {
        measure(true);
        WorkRequestList list = new WorkRequestList(1, 1).write(remote, 0, 5).from(local, 0, 8);
        jfs.post(list);
        jfs.post(list);
        measure(false);
        jfs.post(list);

        assertThat(polled()).containsExactly(5L, 5L, 5L);
    }

    @Test
    void flushAndQuiesceTellTheUsersUserContexts() {
        measure(true);
        jfs.modify(QueueState.ERROR);
        write(11);
        assertThat(jfs.flushAll()).extracting(Completion::userContext).containsExactly(11L);

        measure(true);
        write(12);
        assertThat(jfs.quiesce(Duration.ofSeconds(1)).results())
                .extracting(Completion::userContext)
                .containsExactly(12L);
    }

    @Test
    void queuesThatAreMadeMeanwhileAreMeasuredToo() {
        measure(true);
        Jfc another = context.createJfc(JfcConfig.DEFAULT);
        try (Jfs made = context.createJfs(another, JfsConfig.DEFAULT)) {
            made.write(remote, 0, local, 0, 8, 1);
            assertThat(count("post write")).isEqualTo(1);
            assertThat(count("create jfs")).isEqualTo(1);
        }
    }

    @Test
    void afterTheEndNothingIsAddedAndWhatWasFoundStays() {
        measure(true);
        write(1);
        polled();
        measure(false);
        write(2);
        polled();

        assertThat(count("post write")).isEqualTo(1);
        measure(true);
        assertThat(context.meter().resources()).as("a start begins anew").isEmpty();
    }

    @Test
    void aRefusedPostIsThrownAsWithoutMeasuring() {
        measure(true);

        assertThatThrownBy(() -> jfs.write(remote, 60, local, 0, 8, 1)).isInstanceOf(UrmaException.class);
        assertThat(count("post write")).isZero();
    }
}

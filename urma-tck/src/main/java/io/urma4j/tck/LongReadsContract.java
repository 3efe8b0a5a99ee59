package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §9: a long READ into host memory that is in progress when its queue ends moves no byte afterwards. */
public abstract class LongReadsContract extends Contract {
    private static final int SIZE = Patience.amount(64 << 20, 1 << 20);
    private static final long PAGE = 4096;
    private static final byte OWN = 0x5A;

    private LocalSegment local;
    private RemoteSegment remote;

    protected LongReadsContract(String device) {
        super(device);
    }

    @BeforeEach
    void open() {
        UrmaContext context = pair.initiator().context();
        local = context.register(context.allocate(SIZE), Access.LOCAL_ONLY);
        local.memory().fill(OWN);
        remote = pair.imported(SIZE).remote();
    }

    /** A READ by another thread, whose first bytes are there. */
    private Thread readInProgress(Jfs queue) {
        Thread reading = Thread.ofPlatform().start(() -> {
            try {
                queue.read(remote, 0, local, 0, SIZE, 7);
            } catch (UrmaException e) {
                // the queue has been closed
            }
        });
        Patience.await("the first bytes", () -> local.memory().get(JAVA_BYTE, 0) != OWN);
        return reading;
    }

    private void assertLastPageIsOursAlone(Thread reading) throws InterruptedException {
        MemorySegment last = local.memory().asSlice(SIZE - PAGE);
        last.fill(OWN);
        reading.join();
        Thread.sleep(Patience.WATCH.toMillis());
        for (long at = 0; at < PAGE; at++) {
            assertThat(last.get(JAVA_BYTE, at)).as("byte " + at).isEqualTo(OWN);
        }
    }

    /** S9.4, S13.1: another thread closes the queue. */
    @Rule({"S9.4", "S13.1"})
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noByteOfALongReadMovesAfterTheCloseOfItsQueue(boolean lockFree) throws Exception {
        UrmaContext context = pair.initiator().context();
        Jfc jfc = context.createJfc(new JfcConfig(64, lockFree));
        Jfs queue = context.createJfs(
                jfc, JfsConfig.builder().lockFree(lockFree).depth(16).build());
        Thread reading = readInProgress(queue);

        queue.close();

        assertLastPageIsOursAlone(reading);
    }

    /** S9.4, S6.3: the Jetty is unbound; its record is there when the call returns. */
    @Rule({"S9.4", "S6.3", "S6.8"})
    @Test
    void noByteOfALongReadMovesAfterTheUnbindOfItsJetty() throws Exception {
        var connection = pair.connection();
        SendSide queue = connection.queue();
        Thread reading = readInProgress(queue.jfs());

        connection.here().unbind();

        assertThat(queue.within(Duration.ZERO))
                .extracting(Outcome::userContext)
                .as("records")
                .containsExactly(7L);
        assertThat(connection.here().state()).isEqualTo(QueueState.RESET);
        assertLastPageIsOursAlone(reading);
    }
}

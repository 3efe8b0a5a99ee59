package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PreparedTransfer;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.SegmentConfig;
import io.urma4j.UrmaException;
import io.urma4j.peer.DeviceMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * SEMANTICS §9: a request that is given up moves no byte of its buffers once its owner knows. Its bytes have arrived, and a slow
 * device copies them: all of them to the same page, which the owner then uses for something else.
 */
public abstract class GivenUpCopiesContract extends Contract {
    private static final int PAGE = 4096;
    private static final int REQUESTS = 64;
    private static final byte OWN = 0x5A;

    private final Arena arena = Arena.ofAuto();
    private DeviceMemory memory;
    private LocalSegment local;

    protected GivenUpCopiesContract(String device) {
        super(device);
    }

    @Override
    boolean hasSlowDevices() {
        return true;
    }

    @BeforeEach
    void needsTheCapability() {
        assumeTrue(pair.device().attributes().capabilities().deviceMemory(), "the device takes no device memory");
        memory = DevicesUnderTest.allocate(pair.urma(), PAGE);
        memory.fill(0, PAGE, (byte) 0);
        local = pair.initiator().context().register(memory, SegmentConfig.of(Access.LOCAL_ONLY));
    }

    /** How the owner gives requests up, and learns that they have ended. */
    enum End {
        RECORDS_OF_A_FAILED_QUEUE,
        QUIESCENCE,
        CLOSE
    }

    private static void end(SendSide queue, End how) {
        switch (how) {
            case RECORDS_OF_A_FAILED_QUEUE -> {
                queue.jfs().modify(QueueState.ERROR);
                queue.untilDrained();
            }
            case QUIESCENCE -> queue.jfs().quiesce(Patience.LIMIT);
            case CLOSE -> queue.jfs().close();
        }
    }

    private SendSide queue() {
        return pair.initiator().queue(JfsConfig.builder().depth(2 * REQUESTS).build());
    }

    /** Posts until the queue takes no more; some providers copy within the post. */
    private static Thread posting(Runnable posts) {
        return Thread.ofPlatform().start(() -> {
            try {
                posts.run();
            } catch (UrmaException e) {
                // the queue has been closed
            }
        });
    }

    private Thread reading(SendSide queue, RemoteSegment remote) {
        return posting(() -> {
            for (int i = 0; i < REQUESTS; i++) {
                queue.jfs().read(remote, 0, local, 0, PAGE, i);
            }
        });
    }

    private MemorySegment bytes() {
        MemorySegment bytes = arena.allocate(PAGE);
        memory.copyTo(0, bytes);
        return bytes;
    }

    private void awaitFirstBytes() {
        Patience.await("bytes in the device", () -> bytes().get(JAVA_BYTE, PAGE - 1) != OWN);
    }

    private void assertIsOursAlone() throws InterruptedException {
        memory.fill(0, PAGE, OWN);
        TimeUnit.MILLISECONDS.sleep(10);
        MemorySegment bytes = bytes();
        assertThat(IntStream.range(0, PAGE).filter(i -> bytes.get(JAVA_BYTE, i) != OWN))
                .as("bytes that have changed")
                .isEmpty();
    }

    /** S9.4: READs. */
    @Rule({"S9.4", "S15.12"})
    @ParameterizedTest
    @EnumSource(End.class)
    void noByteOfAReadMovesAfterItsEnd(End how) throws Exception {
        var imported = pair.imported(PAGE);
        for (int round = 0; round < Patience.amount(5, 2); round++) {
            memory.fill(0, PAGE, OWN);
            SendSide queue = queue();
            Thread reading = reading(queue, imported.remote());
            awaitFirstBytes();

            end(queue, how);

            assertIsOursAlone();
            reading.join();
        }
    }

    /** S9.4: a prepared transfer. */
    @Rule({"S9.4", "S16.8"})
    @ParameterizedTest
    @EnumSource(End.class)
    void noByteOfATransferMovesAfterItsEnd(End how) throws Exception {
        var imported = pair.imported((long) REQUESTS * PAGE);
        int[] all = IntStream.range(0, REQUESTS).toArray();
        int[] first = new int[REQUESTS];
        for (int round = 0; round < Patience.amount(5, 2); round++) {
            memory.fill(0, PAGE, OWN);
            SendSide queue = queue();
            var transfer = PreparedTransfer.of(queue.jfs(), List.of(imported.remote()), local, PAGE, REQUESTS);
            Thread reading = posting(() -> transfer.post(Opcode.READ, first, all, 1));
            awaitFirstBytes();

            end(queue, how);

            assertIsOursAlone();
            reading.join();
        }
    }

    /** S9.4, S12.4: the home is killed. */
    @Rule({"S9.4", "S12.4"})
    @Test
    void noByteMovesAfterTheRecordsThatADeadHomeLeaves() throws Exception {
        assumeTrue(topology() == Topology.TWO_PROCESSES, "only another process can be killed");
        var imported = pair.imported(PAGE);
        memory.fill(0, PAGE, OWN);
        SendSide queue = queue();
        Thread reading = posting(() -> {
            while (queue.jfs().state() == QueueState.READY) {
                queue.jfs().read(imported.remote(), 0, local, 0, PAGE, 1);
            }
        });
        awaitFirstBytes();

        processOfHome().kill();
        queue.untilDrained();

        assertIsOursAlone();
        reading.join();
    }
}

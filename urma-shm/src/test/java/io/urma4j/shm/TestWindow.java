package io.urma4j.shm;

import io.urma4j.Eid;
import io.urma4j.Endpoint;
import io.urma4j.JettyDescriptor;
import io.urma4j.JettyId;
import io.urma4j.JfcConfig;
import io.urma4j.JfsConfig;
import io.urma4j.Opcode;
import io.urma4j.OrderType;
import io.urma4j.PostFlags;
import io.urma4j.TokenPolicy;
import io.urma4j.TransportMode;
import io.urma4j.shm.control.PathMemory;
import io.urma4j.shm.control.Peer;
import io.urma4j.shm.control.TestPeers;
import io.urma4j.shm.ring.RingLayout;
import io.urma4j.shm.ring.RingReceiver;
import io.urma4j.spi.CompletionRecord;
import io.urma4j.spi.WorkRequest;
import io.urma4j.spi.support.SpinLock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The window of a send queue, whose peer is the test. No thread drives it but the test's. */
final class TestWindow {
    static final int DEPTH = 16;
    private static final int QUEUE = 5;

    final AtomicInteger wakes = new AtomicInteger();
    final Demand demand = new Demand(wakes::incrementAndGet);
    final JfcRecords own = new JfcRecords("own", JfcConfig.DEFAULT, demand, () -> {}, () -> {});
    final JfcRecords other = new JfcRecords("other", JfcConfig.DEFAULT, demand, () -> {}, () -> {});
    final SendSlots slots = new SendSlots(DEPTH, 0);
    final Peer peer = TestPeers.one();
    final SendWindow window;

    /** Where the messages arrive. */
    final RingReceiver arriving;

    final SendPath path;

    TestWindow(JfsConfig config) {
        MemorySegment outbound = Arena.ofAuto().allocate(RingLayout.BYTES, 64);
        MemorySegment inbound = Arena.ofAuto().allocate(RingLayout.BYTES, 64);
        PathMemory memory = new PathMemory(1, inbound, outbound, () -> {}, () -> {});
        arriving = new RingReceiver(outbound);
        path = new SendPath(memory, new DelayedAnswers(new RingReceiver(inbound), new SpinLock()));
        LocalContext context = new LocalContext(peer.eid(), null, _ -> {}); // its control plane is not asked
        window = new SendWindow(
                QUEUE, config, own, slots, demand, new SendEvents(context, "test queue", false, () -> {}));
        window.records().use(other, 0);
    }

    /** An import of the peer's queue of that number. */
    ShmTarget target(int queueId) {
        JettyId id = new JettyId(Eid.ofIpv4(1), peer.uasid(), queueId);
        var descriptor = new JettyDescriptor(
                id,
                JettyDescriptor.Kind.JFR,
                1,
                TransportMode.RM,
                OrderType.OI,
                TokenPolicy.NONE,
                List.of(new Endpoint("shm", "address", 0, 0, false)));
        return new ShmTarget(descriptor, peer, path);
    }

    /** Posts a SEND of 8 bytes, whose record goes to {@code records}, or to the queue's own JFC. */
    void send(ShmTarget target, long userContext, @Nullable JfcRecords records) {
        locked(() -> {
            add(target, userContext, records);
            window.advance();
        });
    }

    /** Posts a SEND of 8 bytes that waits for an event of a device, which does not end. */
    void sendAfterEvent(ShmTarget target, long userContext) {
        locked(() -> add(target, userContext, null).followsEvent = true);
    }

    private Wqe add(ShmTarget target, long userContext, @Nullable JfcRecords records) {
        WorkRequest request = new WorkRequest(1);
        request.opcode = Opcode.SEND.value();
        request.flags = PostFlags.SIGNALLED_BIT;
        request.userContext = userContext;
        request.inline = MemorySegment.ofArray(new byte[8]);
        request.lengthBytes = 8;
        Wqe entry = window.order().window().entry(slots.posted());
        entry.fill(request);
        entry.recordJfc = records;
        window.add(slots.posted(), entry, target);
        slots.takeDeferred(8);
        return entry;
    }

    void locked(Runnable step) {
        own.lock().acquire();
        try {
            step.run();
        } finally {
            own.lock().release();
        }
    }

    void advance(long nowNanos) {
        locked(() -> window.advance(nowNanos));
    }

    /** The peer takes the next message from the ring. */
    void arrives() {
        if (arriving.take() != RingReceiver.TAKEN) {
            throw new AssertionError("no message arrived");
        }
    }

    /** The peer answers the message that has arrived, and the queue hears of it. */
    void answers(int answer) {
        answers(answer, 1);
    }

    /** The same with an argument: for {@code NOT_READY}, how many microseconds the queue is to wait. */
    void answers(int answer, int argument) {
        arriving.answer(answer, argument);
        path.reap(true);
    }

    /** The statuses of the records in a JFC. */
    static List<Integer> statuses(JfcRecords records) {
        long[] words = new long[DEPTH * CompletionRecord.WORDS];
        int count = records.take(words, DEPTH);
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            statuses.add(CompletionRecord.status(words[i * CompletionRecord.WORDS]));
        }
        return statuses;
    }
}

package io.urma4j.shm.control;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.urma4j.Access;
import io.urma4j.AsyncEvent;
import io.urma4j.Completion;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.SharedMemory;
import io.urma4j.UrmaContext;
import io.urma4j.tck.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The queues that a hostile peer may reach, and what they report. For one thread. */
final class RingVictim implements AutoCloseable {
    /** Bytes of a receive buffer, and of the guards between buffers, which no peer may ever write. */
    static final int BUFFER = 64 * 1024;

    static final int GUARD = 4096;
    static final int PLACES = 8;
    private static final byte UNTOUCHED = 0x5A;

    final UrmaContext context;
    final Jfc jfc;
    final Jfr jfr;
    final Jfs jfs;
    private final SharedMemory memory;
    final LocalSegment buffers;
    private final CompletionBatch batch = new CompletionBatch(64);

    /** Everything that was polled and not taken by a test yet. */
    final List<Completion> records = new ArrayList<>();

    final List<AsyncEvent> events = new ArrayList<>();

    RingVictim(UrmaContext context) {
        this.context = context;
        jfc = context.createJfc(JfcConfig.DEFAULT);
        jfr = context.createJfr(jfc, JfrConfig.builder().depth(PLACES).build());
        jfs = context.createJfs(
                jfc,
                JfsConfig.builder().depth(32).timeout(Duration.ofSeconds(2)).build());
        memory = context.allocate((long) PLACES * (BUFFER + GUARD) + GUARD);
        memory.segment().fill(UNTOUCHED);
        buffers = context.register(memory, Access.LOCAL_ONLY);
    }

    static long bufferAt(long place) {
        return GUARD + place * (BUFFER + GUARD);
    }

    /** Returns whether the JFR had room. */
    boolean tryReceive(int place) {
        return jfr.receive(buffers, bufferAt(place), BUFFER, place);
    }

    void receive(int place) {
        if (!tryReceive(place)) {
            throw new AssertionError("no place for receive " + place);
        }
    }

    void poll() {
        int count = jfc.poll(batch);
        for (int i = 0; i < count; i++) {
            records.add(batch.completion(i));
        }
        context.events().poll().ifPresent(events::add);
    }

    /** Polls until a record is there that fits; takes it out. */
    Completion await(String what, Predicate<Completion> wanted) {
        var found = new Completion[1];
        Patience.await(what + " among " + records, () -> {
            poll();
            found[0] = records.stream().filter(wanted).findFirst().orElse(null);
            return found[0] != null;
        });
        records.remove(found[0]);
        return found[0];
    }

    /** Polls until the loss of a peer is reported; returns the reason. */
    String awaitLoss() {
        Patience.await("the loss of the hostile peer", () -> {
            poll();
            return events.stream().anyMatch(event -> event.type() == AsyncEvent.Type.PEER_LOST);
        });
        AsyncEvent loss = events.stream()
                .filter(event -> event.type() == AsyncEvent.Type.PEER_LOST)
                .findFirst()
                .orElseThrow();
        events.remove(loss);
        return loss.detail();
    }

    /** How many bytes between the buffers are not what they were. */
    long spoiltGuards() {
        long spoilt = 0;
        for (int place = 0; place <= PLACES; place++) {
            long start = (long) place * (BUFFER + GUARD);
            for (long at = start; at < start + GUARD; at++) {
                if (memory.segment().get(JAVA_BYTE, at) != UNTOUCHED) {
                    spoilt++;
                }
            }
        }
        return spoilt;
    }

    @Override
    public void close() {
        jfs.close();
        jfr.close();
        jfc.close();
        buffers.close(); // fails while something still names it
        memory.close();
    }
}

package io.urma4j.tools.perftest;

import io.urma4j.Opcode;
import io.urma4j.tools.perftest.Operations.Poster;
import io.urma4j.tools.perftest.Workload.Kind;
import java.lang.foreign.MemorySegment;

/** One operation at a time: the two sides in turns, or the initiator alone. For one thread. */
final class Turns {
    private final Lane lane;
    private final Poster poster;
    private final Records records;
    private final Watch watch;
    private final Control control;
    private final int depth;
    private final boolean pingPong;
    private final boolean messages;
    private final boolean driven;
    private final MemorySegment words;
    private final long inbox;
    private final int wordBytes;

    Turns(Endpoint endpoint, Settings settings, Records records, Watch watch, Control control, long sizeBytes) {
        this.lane = endpoint.lanes()[0];
        this.poster = Operations.poster(endpoint, settings, sizeBytes);
        this.records = records;
        this.watch = watch;
        this.control = control;
        this.depth = settings.jfsDepth();
        this.pingPong = settings.workload().isPingPong();
        this.messages = settings.receives();
        this.driven = endpoint.isDriven();
        this.words = endpoint.words().memory();
        this.inbox = endpoint.layout().inbox(0);
        this.wordBytes = wordBytes(settings, sizeBytes);
    }

    /** The part of the inbox that shows a turn: the word itself, or the notice of a longer write. */
    static int wordBytes(Settings settings, long sizeBytes) {
        boolean plain = settings.workload().kind() == Kind.WRITE
                && Operations.opcodeOfWrite(settings, sizeBytes) == Opcode.WRITE;
        return plain ? (int) sizeBytes : Long.BYTES;
    }

    /**
     * Begins each turn, and measures the whole round trip. With a pace, the delay of a turn that begins late counts,
     * too: once for a round trip, and twice where half of the sample is the result.
     */
    void lead(Phase phase, Samples samples, double perSecond) throws InterruptedException {
        long begin = System.nanoTime();
        long end = phase.endNanos(begin);
        boolean paced = perSecond > 0;
        Pace pace = new Pace(paced ? perSecond : 1, 1, begin);
        int weight = pingPong ? 2 : 1;
        long most = phase.times();
        long before = begin;
        for (long number = 0; number < most && before - end < 0; number++) {
            long lateness = 0;
            if (paced) {
                long intended = pace.intendedNanos(number);
                before = waitUntil(intended);
                lateness = (before - intended) * weight;
            }
            post(number);
            awaitTurn(number);
            long now = System.nanoTime();
            samples.add(now - before + lateness);
            before = now;
        }
        records.drain();
    }

    private long waitUntil(long nanos) throws InterruptedException {
        long now = System.nanoTime();
        while (now - nanos < 0) {
            if (driven) {
                records.poll();
            }
            watch.busy(); // waiting for the schedule is no lack of progress
            Thread.onSpinWait();
            now = System.nanoTime();
        }
        return now;
    }

    /** Answers each turn, until the other side is done. */
    void answer() throws InterruptedException {
        for (long number = 0; ; number++) {
            while (!hears(number)) {
                if (control.hasSpoken()) {
                    records.drain();
                    return;
                }
                round();
            }
            watch.progress();
            post(number);
        }
    }

    private void post(long number) throws InterruptedException {
        while (lane.unfinished() >= depth || poster.post(lane, number, 1) == 0) {
            round();
        }
        lane.posted++;
    }

    private void awaitTurn(long number) throws InterruptedException {
        if (pingPong) {
            while (!hears(number)) {
                round();
            }
        } else {
            while (lane.completed <= number) {
                round();
            }
        }
        watch.busy();
    }

    private boolean hears(long number) {
        return messages ? records.received() > number : Words.holds(words, inbox, wordBytes, number + 1);
    }

    /** Polls where records may arrive, or where only a poll places arriving bytes. */
    private void round() throws InterruptedException {
        if (messages || !pingPong) {
            records.pollOrWait();
        } else {
            if (driven || lane.unfinished() > 0) {
                records.poll();
            }
            watch.idle();
        }
    }
}

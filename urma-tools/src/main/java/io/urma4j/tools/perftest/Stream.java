package io.urma4j.tools.perftest;

import io.urma4j.tools.perftest.Operations.Poster;
import java.lang.foreign.MemorySegment;

/** A stream of operations on all lanes, as many in flight as their queues hold. For one thread. */
final class Stream {
    /** Receives the progress now and then. */
    interface Listener {
        Listener NONE = (completed, nanos) -> {};

        void at(long completed, long nanos);
    }

    private static final int ROUNDS_PER_CLOCK = 32;
    private static final long LISTENER_NANOS = 50_000_000;

    private final Lane[] lanes;
    private final Poster poster;
    private final Records records;
    private final Watch watch;
    private final Layout layout;
    private final MemorySegment words;
    private final int depth;
    private final int list;
    private final int signalEvery;
    private final long creditDepth;
    private final double perSecond;
    private final int burst;
    private final boolean peak;
    private final boolean events;
    private long[] goals = new long[0];

    Stream(Endpoint endpoint, Settings settings, Records records, Watch watch, long sizeBytes) {
        this.lanes = endpoint.lanes();
        this.poster = Operations.poster(endpoint, settings, sizeBytes);
        this.records = records;
        this.watch = watch;
        this.layout = endpoint.layout();
        this.words = endpoint.words().memory();
        this.depth = settings.jfsDepth();
        this.list = settings.jfsPostList();
        this.signalEvery = settings.signalEvery(sizeBytes);
        this.creditDepth = settings.hasCredit() ? settings.jfrDepth() : 0;
        this.perSecond = settings.hasRate() ? settings.rate(sizeBytes) : 0;
        this.burst = settings.burst();
        this.peak = settings.hasPeak();
        this.events = settings.usesEvents();
    }

    /** Runs a phase; returns the bandwidth, from the first post to the last completion. */
    Bandwidth run(Phase phase, Listener listener) throws InterruptedException {
        begin(phase);
        long begin = System.nanoTime();
        long end = phase.endNanos(begin);
        long toTell = begin + LISTENER_NANOS;
        boolean timed = phase.duration() != null;
        Peak best = new Peak(peak && !timed ? phase.times() : 0, begin);
        Pace pace = new Pace(perSecond > 0 ? perSecond : 1, burst, begin);
        boolean paced = perSecond > 0;
        long allowed = paced ? 0 : Long.MAX_VALUE;
        boolean ending = false;
        for (int round = 0; !isDone(); round++) {
            if (paced || round % ROUNDS_PER_CLOCK == 0) {
                long now = System.nanoTime();
                if (paced) {
                    allowed = pace.due(now);
                }
                if (now - toTell >= 0) {
                    toTell = now + LISTENER_NANOS;
                    listener.at(records.completed(), now - begin);
                }
                if (timed && !ending && now - end >= 0) {
                    ending = true;
                    endAtNextRecord();
                }
            }
            boolean fed = feed(allowed);
            collect(fed, paced);
            records.reviveFailed();
            best.at(records.completed());
        }
        long nanos = System.nanoTime() - begin;
        return new Bandwidth(phase.sizeBytes(), records.completed(), nanos, best.perSecond() * phase.sizeBytes());
    }

    private void collect(boolean fed, boolean paced) throws InterruptedException {
        if (paced) {
            watch.progress(); // the next operation may not be due yet
        }
        if (events && !fed) {
            records.pollOrWait();
        } else if (records.poll() > 0 || fed || paced) {
            watch.busy();
        } else {
            watch.idle();
        }
    }

    private void begin(Phase phase) {
        goals = new long[lanes.length];
        long most = phase.times();
        for (int i = 0; i < lanes.length; i++) {
            goals[i] = most / lanes.length + (i < most % lanes.length ? 1 : 0);
            lanes[i].endAt(goals[i]);
        }
    }

    /** After the duration: limits the phase to the posted operations, up to the next signalled one. */
    private void endAtNextRecord() {
        for (int i = 0; i < lanes.length; i++) {
            long next = (lanes[i].posted + signalEvery - 1) / signalEvery * signalEvery;
            goals[i] = Math.min(goals[i], next);
        }
    }

    private boolean isDone() {
        for (int i = 0; i < lanes.length; i++) {
            if (lanes[i].completed < goals[i]) {
                return false;
            }
        }
        return true;
    }

    /** Posts as many operations as allowed; false when there are none. */
    private boolean feed(long allowed) {
        boolean fed = false;
        for (int i = 0; i < lanes.length; i++) {
            Lane lane = lanes[i];
            long room = Math.min(depth - lane.unfinished(), goals[i] - lane.posted);
            if (allowed != Long.MAX_VALUE) {
                room = Math.min(room, allowed / lanes.length - lane.posted);
            }
            if (creditDepth > 0) {
                room = Math.min(room, credit(lane) + creditDepth - lane.posted);
            }
            fed |= feed(lane, room);
        }
        return fed;
    }

    private boolean feed(Lane lane, long room) {
        boolean fed = false;
        long left = room;
        while (left > 0) {
            int count = (int) Math.min(list, left);
            int accepted = poster.post(lane, lane.posted, count);
            lane.posted += accepted;
            left -= accepted;
            fed |= accepted > 0;
            if (accepted < count) {
                break;
            }
        }
        return fed;
    }

    private long credit(Lane lane) {
        return Words.get(words, layout.credit(lane.index));
    }
}

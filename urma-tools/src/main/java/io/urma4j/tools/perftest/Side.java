package io.urma4j.tools.perftest;

import io.urma4j.Opcode;
import io.urma4j.TransportMode;
import io.urma4j.tools.CommandFailure;
import io.urma4j.tools.Line;
import io.urma4j.tools.Session;
import io.urma4j.tools.perftest.Stream.Listener;
import io.urma4j.tools.perftest.Workload.Kind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One side of a run: prepares its memory for a phase, does its part, and checks what arrived. The client leads, the
 * server follows; in both directions each does both. For one thread.
 */
final class Side {
    static final String DONE = "done";

    private static final String SENT = "sent";

    /** No limit for a phase: the reader of the connection ends this wait when the other side ends. */
    private static final Duration UNTIL_IT_ENDS = Duration.ofDays(3650);

    private final Settings settings;
    private final Control control;
    private final boolean client;
    private final Endpoint endpoint;
    private final PayloadMemory payloads;
    private final Watch watch;
    private final Records records;
    private final Meter meter = new Meter();
    private long sent;
    private long sentByPeer;
    private Line last = Line.of(DONE);

    Side(Session session, Settings settings, Control control, boolean client) {
        this.settings = settings;
        this.control = control;
        this.client = client;
        this.endpoint = new Endpoint(session, settings);
        this.payloads = endpoint.payloads();
        this.watch = new Watch(control);
        this.records = new Records(endpoint, settings, watch);
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Meter meter() {
        return meter;
    }

    /** Exchanges endpoints, so that both sides can reach each other. */
    void meet() throws InterruptedException {
        control.say(endpoint.describe());
        endpoint.connect(control.hear(Endpoint.ENDPOINT));
        control.say(Line.of("connected"));
        control.hear("connected");
    }

    // ---- phases

    /** Fills the buffers to send, clears those to receive, and resets the counts. */
    void prepare(Phase phase) {
        records.begin();
        for (Lane lane : endpoint.lanes()) {
            lane.begin(settings.signalEvery(phase.sizeBytes()));
            prepare(phase, lane.index);
        }
        for (int i = 0; i < endpoint.layout().bufferCount(); i++) {
            payloads.clear(endpoint.layout().buffer(i), phase.sizeBytes());
        }
    }

    private void prepare(Phase phase, int lane) {
        Layout layout = endpoint.layout();
        boolean reads = settings.workload().kind() == Kind.READ;
        payloads.fill(reads ? layout.incoming(lane) : layout.outgoing(lane), phase.sizeBytes(), ownSeed(phase));
        payloads.clear(reads ? layout.outgoing(lane) : layout.incoming(lane), phase.sizeBytes());
        payloads.clear(layout.counter(lane), Long.BYTES);
        MemorySegment words = endpoint.words().memory();
        Words.set(words, layout.inbox(lane), Long.BYTES, 0);
        Words.set(words, layout.credit(lane), Long.BYTES, 0);
    }

    private long ownSeed(Phase phase) {
        return client ? phase.seed() : ~phase.seed();
    }

    private long seedOfPeer(Phase phase) {
        return client ? ~phase.seed() : phase.seed();
    }

    /** Leads a phase of a latency test. */
    void leadTurns(Phase phase, Samples samples, boolean timed) throws InterruptedException {
        double perSecond = settings.hasRate() ? settings.rate(phase.sizeBytes()) : 0;
        Turns turns = new Turns(endpoint, settings, records, watch, control, phase.sizeBytes());
        meter.begin();
        turns.lead(phase, samples, perSecond);
        meter.end(timed);
        sent = endpoint.lanes()[0].posted;
        finish(null);
    }

    /** Runs its own operations at full speed; then waits for those of the other side. */
    Bandwidth leadStream(Phase phase, Listener listener, boolean timed) throws InterruptedException {
        Stream stream = new Stream(endpoint, settings, records, watch, phase.sizeBytes());
        meter.begin();
        Bandwidth bandwidth = stream.run(phase, listener);
        meter.end(timed);
        sent = records.completed();
        finish(bandwidth);
        return bandwidth;
    }

    /**
     * The client sends {@code done} first, and the server answers; then each has received all messages of the other.
     */
    private void finish(@Nullable Bandwidth bandwidth) throws InterruptedException {
        if (client) {
            control.say(Line.of(DONE).with(SENT, sent));
            receiveAll();
        } else {
            receiveAll();
            control.say(done(bandwidth));
        }
    }

    /** The server's part of a phase: it answers turns, streams in the other direction, or only waits. */
    void follow(Phase phase, boolean timed) throws InterruptedException {
        if (settings.isBidirectional()) {
            var _ = leadStream(phase, Listener.NONE, timed);
            return;
        }
        sent = 0;
        meter.begin();
        if (settings.workload().isPingPong()) {
            new Turns(endpoint, settings, records, watch, control, phase.sizeBytes()).answer();
            sent = endpoint.lanes()[0].posted;
        } else {
            serve();
        }
        receiveAll();
        meter.end(timed);
        control.say(done(null));
    }

    /** Receives messages, and polls, until the client is done. */
    private void serve() throws InterruptedException {
        boolean polls = settings.receives() || endpoint.isDriven();
        while (polls && !control.hasSpoken()) {
            if (settings.usesEvents()) {
                records.pollOrWait();
            } else if (records.poll() == 0) {
                Thread.onSpinWait();
            }
            watch.busy(); // the client may take any time
        }
    }

    /** Waits until the other side is done, and receives the rest of its messages. */
    private void receiveAll() throws InterruptedException {
        boolean polls = settings.receives() || endpoint.isDriven();
        while (polls && !control.hasSpoken()) {
            records.poll();
            watch.busy();
        }
        Line done = control.hear(UNTIL_IT_ENDS);
        if (!done.verb().equals(DONE)) {
            throw new CommandFailure("the other side said '" + done.verb() + "' where '" + DONE + "' was due");
        }
        sentByPeer = done.number(SENT);
        last = done;
        while (isReliable() && settings.receives() && records.received() < sentByPeer) {
            records.pollOrWait();
        }
        records.drain();
    }

    /** The number of its own operations in the last phase. */
    long sent() {
        return sent;
    }

    /** The number of its own failed operations, in all phases. */
    long failures() {
        return records.failures();
    }

    /** The other side's line at the end of the phase. */
    Line lastOfPeer() {
        return last;
    }

    private boolean isReliable() {
        return settings.mode() != TransportMode.UM;
    }

    private Line done(@Nullable Bandwidth bandwidth) {
        Line line = Line.of(DONE)
                .with(SENT, sent)
                .with("received", records.received())
                .with("failures", records.failures());
        if (bandwidth != null) {
            line.with("iterations", bandwidth.iterations())
                    .with("nanos", bandwidth.nanos())
                    .with("peak", bandwidth.peakBytesPerSecond());
        }
        meter.reading().into(line);
        return line;
    }

    // ---- verification

    /** Throws when what arrived in the phase is not what the other side sent. */
    void check(Phase phase) {
        boolean initiates =
                client || settings.isBidirectional() || settings.workload().isPingPong();
        boolean receives =
                !client || settings.isBidirectional() || settings.workload().isPingPong();
        switch (settings.workload().kind()) {
            case READ -> {
                if (initiates) {
                    checkLanes(phase, true);
                }
            }
            case WRITE -> {
                if (receives) {
                    checkWrites(phase);
                }
            }
            case SEND -> {
                if (receives) {
                    checkMessages(phase);
                }
            }
            case ATOMIC -> {
                if (receives) {
                    checkSum(phase);
                }
            }
        }
    }

    private void checkWrites(Phase phase) {
        boolean turns = settings.isLatency() && !settings.receives();
        if (turns) {
            int bytes = Turns.wordBytes(settings, phase.sizeBytes());
            MemorySegment words = endpoint.words().memory();
            if (!Words.holds(words, endpoint.layout().inbox(0), bytes, sentByPeer)) {
                throw wrong(phase, "the last turn is not number " + sentByPeer);
            }
        }
        boolean word = turns && Operations.opcodeOfWrite(settings, phase.sizeBytes()) == Opcode.WRITE;
        if (!word) {
            checkLanes(phase, false);
        }
    }

    private void checkLanes(Phase phase, boolean outgoing) {
        for (Lane lane : endpoint.lanes()) {
            Layout layout = endpoint.layout();
            long at = outgoing ? layout.outgoing(lane.index) : layout.incoming(lane.index);
            long used = (outgoing ? sent : sentByPeer) - lane.index;
            long mismatch = used <= 0 ? -1 : Pattern.mismatch(payloads.look(at, phase.sizeBytes()), seedOfPeer(phase));
            if (mismatch >= 0) {
                throw wrong(phase, "byte " + mismatch + " or one of the seven after it, of lane " + lane.index);
            }
        }
    }

    /** Buffers that were not used are still clear; the others hold what was sent. */
    private void checkMessages(Phase phase) {
        long right = 0;
        for (int i = 0; i < endpoint.layout().bufferCount(); i++) {
            MemorySegment buffer = payloads.look(endpoint.layout().buffer(i), phase.sizeBytes());
            if (buffer.get(ValueLayout.JAVA_BYTE, 0) != 0) {
                long mismatch = Pattern.mismatch(buffer, seedOfPeer(phase));
                if (mismatch >= 0) {
                    throw wrong(phase, "byte " + mismatch + " or one of the seven after it, of a message");
                }
                right++;
            }
        }
        // one JFR uses its buffers in order; how many buffers each of several JFRs has used is unknown
        long least = settings.jfrCount() == 1 ? records.received() : Math.min(1, records.received());
        if (right < Math.min(least, endpoint.layout().bufferCount())) {
            throw wrong(phase, right + " buffers hold a message, of " + records.received() + " that came");
        }
    }

    private void checkSum(Phase phase) {
        long sum = 0;
        for (Lane lane : endpoint.lanes()) {
            long counter = endpoint.layout().counter(lane.index);
            sum += Words.get(payloads.look(counter, Long.BYTES), 0);
        }
        boolean right = phase.sizeBytes() == Long.BYTES ? sum == sentByPeer : (int) sum == (int) sentByPeer;
        if (!right) {
            throw wrong(phase, sentByPeer + " atomics made " + sum);
        }
    }

    private CommandFailure wrong(Phase phase, String what) {
        return new CommandFailure("wrong data after " + settings.workload() + " of " + phase.sizeBytes()
                + " bytes (seed " + phase.seed() + "): " + what);
    }
}

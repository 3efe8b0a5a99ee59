package io.urma4j.bench.compare.end;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.PipeReader;
import io.urma4j.PipeWriter;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.SharedSegment;
import io.urma4j.TargetJetty;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.PredictedPackets;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Work;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A context on one device, with memory and queues; and for the time of a task, the peer that it has met. */
final class UrmaCard {
    static final int DEPTH = 256;

    /** Where peers write; behind it, where our own operations begin, and behind that, where messages arrive. */
    static final long SOURCE = 8 << 20;

    private static final long BUFFERS = 16 << 20;
    private static final long BYTES = 64 << 20;
    private static final long BUFFER_BYTES = 16 << 20; // more would not stay in a cache
    private static final int LEAST_BUFFERS = 12;
    private static final int MOST_BUFFERS = 512;
    private static final int STREAM_CAPACITY = 4 << 20; // beyond a second-level cache
    private static final int POLLS_PER_LOOK = 1024;
    private static final long PATIENCE_NANOS = 10_000_000_000L;

    final Jfc jfc;
    final Jfs jfs;
    final LocalSegment local;
    final boolean isDriven; // the polling thread places the payload of what arrives

    /** Records that are due of what was posted; each task ends with none. */
    int due;

    /**
     * Words sent so far, over all tasks: unsignalled ones of a short task stay in the queue until a record of a later
     * task.
     */
    long told;

    private final CompletionBatch batch = new CompletionBatch(64);
    private final UrmaContext context;
    private @Nullable Jfr jfr;
    private @Nullable RemoteSegment remote;
    private @Nullable TargetJetty target;
    private @Nullable PipeReader pipe; // from the other, when messages are to go by pipes
    private @Nullable PipeWriter out;

    UrmaCard(Urma urma, Reach reach) {
        context = urma.device(reach == Reach.MEMORY ? "shm0" : "udma0").openContext();
        isDriven = reach == Reach.NETWORK;
        local = context.register(context.allocate(BYTES), Access.READ_WRITE_ATOMIC);
        local.memory().fill((byte) 0); // every page is there before anything is measured
        jfc = context.createJfc(new JfcConfig(8 * DEPTH, true));
        jfs = context.createJfs(
                jfc, JfsConfig.builder().depth(DEPTH).lockFree(true).build());
    }

    PredictedPackets packets() {
        return PredictedPackets.of(context);
    }

    /** A new invitation for a task, with its tokens: one word. */
    String invitation(Task task, boolean byPipe) {
        Jfr fresh = context.createJfr(
                jfc, JfrConfig.builder().depth(buffers(task.bytes())).build());
        jfr = fresh;
        String line = local.share() + "," + fresh.share();
        if (!byPipe) {
            return line;
        }
        PipeReader reader =
                context.openPipe(task.work() == Work.SEND_RATE ? STREAM_CAPACITY : PipeReader.DEFAULT_CAPACITY_BYTES);
        pipe = reader;
        return line + "," + reader.share();
    }

    void meet(String invitation) {
        String[] parts = invitation.split(",", -1);
        remote = context.importSegment(SharedSegment.parse(parts[0]));
        target = context.importJetty(SharedJetty.parse(parts[1]));
        out = parts.length > 2 ? context.openPipeTo(parts[2]) : null;
    }

    /** What of an invitation is the Jetty. */
    static String jettyOf(String invitation) {
        return invitation.split(",", -1)[1];
    }

    /** Receives the messages of any peer. */
    void receiveUntil(Task task, BooleanSupplier told) {
        Link link = link(task);
        while (!told.getAsBoolean()) {
            for (int i = 0; i < POLLS_PER_LOOK; i++) {
                link.poll(number -> {});
            }
        }
    }

    UrmaOneSided oneSided() {
        return new UrmaOneSided(this, Objects.requireNonNull(remote));
    }

    UrmaCalls calls() {
        return new UrmaCalls(this, Objects.requireNonNull(remote));
    }

    Link link(Task task) {
        if (pipe != null) {
            return new UrmaPipes(pipe, Objects.requireNonNull(out), task.bytes());
        }
        return new UrmaLink(
                this,
                Objects.requireNonNull(jfr),
                Objects.requireNonNull(target),
                task.bytes(),
                BUFFERS,
                buffers(task.bytes()));
    }

    private static int buffers(int bytes) {
        return Math.clamp(BUFFER_BYTES / bytes, LEAST_BUFFERS, MOST_BUFFERS);
    }

    /** The task is over: takes the records that are still due, so that the next one finds none of them. */
    void part() {
        long start = System.nanoTime();
        while (due > 0) {
            due -= jfc.poll(batch);
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException(due + " records did not come");
            }
        }
        if (pipe != null) {
            Objects.requireNonNull(out).close();
            pipe.close();
            pipe = null;
        }
        Objects.requireNonNull(target).close();
        Objects.requireNonNull(remote).close();
        Objects.requireNonNull(jfr).close();
    }
}

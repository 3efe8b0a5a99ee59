package io.urma4j.tools.perftest;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfc;
import io.urma4j.Jfce;
import io.urma4j.Jfr;
import io.urma4j.LocalSegment;
import io.urma4j.WorkRequestList;
import io.urma4j.tools.CommandFailure;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Polls an endpoint's JFCs: send records advance their lane, receive records are counted and their buffers are posted
 * again. For one thread.
 */
final class Records {
    private static final int BATCH = 64;

    private final Endpoint endpoint;
    private final Jfc[] jfcs;
    private final @Nullable Jfce jfce;
    private final Duration eventTimeout;
    private final Watch watch;
    private final Lane[] lanes;
    private final List<Jfr> jfrs;
    private final LocalSegment memory;
    private final Layout layout;
    private final long creditStep;
    private final CompletionBatch batch = new CompletionBatch(BATCH);
    private final @Nullable WorkRequestList[] returns; // per JFR; null where each is handed in by itself
    private final int returnList;
    private long completed;
    private long received;
    private long failed;
    private final boolean continues;
    private int creditsUnderWay;

    Records(Endpoint endpoint, Settings settings, Watch watch) {
        this.endpoint = endpoint;
        this.jfcs = endpoint.jfcs();
        this.jfce = endpoint.jfce();
        this.eventTimeout = settings.eventTimeout();
        this.watch = watch;
        this.lanes = endpoint.lanes();
        this.jfrs = endpoint.jfrs();
        this.memory = endpoint.memory();
        this.layout = endpoint.layout();
        this.creditStep = settings.hasCredit() ? Math.max(1, settings.jfrDepth() / 4) : 0;
        this.continues = settings.continuesAfterErrors();
        this.returnList = settings.jfrPostList();
        this.returns = new WorkRequestList[returnList == 1 ? 0 : jfrs.size()];
        for (int i = 0; i < returns.length; i++) {
            returns[i] = new WorkRequestList(returnList, 1);
        }
        if (settings.receives()) {
            handInAll(settings.jfrDepth());
        }
    }

    private void handInAll(int depth) {
        for (int i = 0; i < jfrs.size(); i++) {
            for (long buffer = (long) i * depth; buffer < (long) (i + 1) * depth; buffer++) {
                handIn(i, (long) i << Lane.NUMBER_BITS | buffer);
            }
        }
    }

    private void handIn(int jfr, long userContext) {
        long at = layout.buffer(Lane.numberOf(userContext));
        if (!jfrs.get(jfr).receive(memory, at, layout.strideBytes(), userContext)) {
            throw new CommandFailure(jfrs.get(jfr) + " takes fewer receives than its depth");
        }
    }

    /** Resets the counts; no operation may be unfinished. */
    void begin() {
        completed = 0;
        received = 0;
        watch.progress(); // the time between two phases is no lack of progress
    }

    /** Work requests that have completed, of all lanes. */
    long completed() {
        return completed;
    }

    /** Messages that came. */
    long received() {
        return received;
    }

    /** Polls all JFCs once; returns the number of records. */
    int poll() throws InterruptedException {
        int count = 0;
        for (Jfc jfc : jfcs) {
            count += poll(jfc);
        }
        return count;
    }

    private int poll(Jfc jfc) throws InterruptedException {
        int count = jfc.poll(batch);
        for (int i = 0; i < count; i++) {
            if (!batch.isSuccess(i)) {
                failed(i);
                continue;
            }
            long context = batch.userContext(i);
            if (batch.isReceive(i)) {
                onReceive(context);
            } else if ((context & Lane.UNNUMBERED) != 0) {
                Lane lane = lanes[Lane.laneOf(context & ~Lane.UNNUMBERED)];
                lane.isTelling = false;
                creditsUnderWay--;
                tellCreditIfDue(lane); // more may have come meanwhile, and the peer waits for that
            } else {
                Lane lane = lanes[Lane.laneOf(context)];
                long done = Lane.numberOf(context) + 1;
                completed += done - lane.completed;
                lane.completed = done;
            }
        }
        return count;
    }

    private void failed(int index) throws InterruptedException {
        if (!continues || batch.isReceive(index)) {
            throw failure(index);
        }
        if (batch.isFlushErrDone(index)) {
            laneOfQueue(batch.localId(index)).fail();
            return;
        }
        long context = batch.userContext(index);
        Lane lane = lanes[Lane.laneOf(context)];
        long number = Lane.numberOf(context);
        completed += number - lane.completed; // unsignalled ones before it succeeded
        lane.completed = number + 1;
        failed++;
    }

    private Lane laneOfQueue(int id) {
        for (Lane lane : lanes) {
            if (lane.jfs.id() == id) {
                return lane;
            }
        }
        throw new IllegalStateException("no lane has the queue " + id);
    }

    /** Brings queues back to READY that have drained after a failure; called between posts. */
    void reviveFailed() {
        if (continues) {
            for (Lane lane : lanes) {
                if (lane.hasFailed()) {
                    failed += lane.revive();
                }
            }
        }
    }

    /** Operations that failed or were never started, since the beginning; not of the last phase alone. */
    long failures() {
        return failed;
    }

    /** Polls; when nothing is there, spins a round or sleeps until an event. */
    void pollOrWait() throws InterruptedException {
        if (poll() > 0) {
            watch.progress();
        } else if (jfce == null) {
            watch.idle();
        } else {
            sleep(jfce);
        }
    }

    private void sleep(Jfce channel) throws InterruptedException {
        for (Jfc jfc : jfcs) {
            jfc.rearm(false);
        }
        if (poll() > 0) {
            watch.progress();
        } else {
            watch.checkPatience();
            var _ = channel.await(eventTimeout);
            watch.lookUp();
        }
    }

    private void onReceive(long context) {
        received++;
        int jfr = Lane.laneOf(context);
        if (returnList == 1) {
            handIn(jfr, context);
        } else {
            handInLater(jfr, context);
        }
        if (creditStep > 0) {
            Lane lane = lanes[jfr];
            lane.received++;
            tellCreditIfDue(lane);
        }
    }

    private void tellCreditIfDue(Lane lane) {
        if (lane.received - lane.told >= creditStep && !lane.isTelling) {
            tellCredit(lane);
        }
    }

    private void handInLater(int jfr, long context) {
        WorkRequestList list = returns[jfr];
        if (list == null) {
            throw new IllegalStateException("no list for JFR " + jfr);
        }
        list.receive(context).into(memory, layout.buffer(Lane.numberOf(context)), layout.strideBytes());
        if (list.size() == returnList) {
            int accepted = jfrs.get(jfr).receive(list);
            if (accepted < list.size()) {
                throw list.refusal()
                        .map(RuntimeException.class::cast)
                        .orElseGet(() -> new CommandFailure(jfrs.get(jfr) + " takes fewer receives than its depth"));
            }
            list.clear();
        }
    }

    /** Writes to the sender how many of its messages were received. */
    private void tellCredit(Lane lane) {
        long source = layout.source(lane.index);
        LocalSegment words = endpoint.words();
        words.memory().set(JAVA_LONG, source, lane.received);
        boolean accepted = lane.jfs.write(
                endpoint.remoteWords(),
                layout.credit(lane.index),
                words,
                source,
                Long.BYTES,
                Lane.UNNUMBERED | lane.tag);
        if (accepted) {
            creditsUnderWay++;
            lane.isTelling = true;
            lane.told = lane.received;
        }
    }

    /** Waits until nothing that was posted here is unfinished. */
    void drain() throws InterruptedException {
        for (Lane lane : lanes) {
            while (lane.unfinished() > 0 || creditsUnderWay > 0) {
                pollOrWait();
                reviveFailed();
            }
        }
    }

    private CommandFailure failure(int index) throws InterruptedException {
        watch.lookUp(); // if the other side has ended, its message explains more
        CompletionStatus status = batch.status(index);
        return new CommandFailure((batch.isReceive(index) ? "a receive" : "an operation") + " of lane "
                + Lane.laneOf(batch.userContext(index)) + " ended with " + status + meaning(status));
    }

    private static String meaning(CompletionStatus status) {
        return switch (status) {
            case REM_ACCESS_ABORT_ERR -> ": the other side revoked its memory, or ended";
            case ACK_TIMEOUT_ERR -> ": the other side does not answer, or ended";
            case RNR_RETRY_CNT_EXC_ERR -> ": no process received it";
            default -> "";
        };
    }
}

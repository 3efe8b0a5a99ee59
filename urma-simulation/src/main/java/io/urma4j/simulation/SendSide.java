package io.urma4j.simulation;

import io.urma4j.QueueState;
import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.SendQueueConfig;
import io.urma4j.udma.command.SendQueueConfig.Kind;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.ring.WqRing;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A send queue, with the operations posted to it. It checks that each has one result, in order. */
final class SendSide {
    /** The key of all datagram queues. */
    static final int DATAGRAM_KEY = 0x1111_1111;

    static final int DEPTH = 16;
    static final int MAX_RANGES = 3;
    static final int MAX_INLINE_BYTES = 64;
    private static final int STRIDE = SendWqe.strideBytes(MAX_RANGES, MAX_INLINE_BYTES);

    final Life life;
    final int tag;
    final Kind kind;
    final int handle;
    /** What a Jetty receives; null for a queue that sends only. */
    final @Nullable ReceiveSide receives;

    /** Of RC: both halves of the connection; null until it is connected. */
    @Nullable
    Pair pair;

    /** How many operations are still to be posted. */
    int quota;

    private final NativeMemory ring = NativeMemory.allocate(WqRing.bytes(DEPTH, STRIDE));
    private final @Nullable Operation[] slots = new Operation[DEPTH];
    private final long[] flushed = new long[4 * DEPTH];
    private final Map<Integer, Integer> datagramTargets = new HashMap<>(); // by the number of the receiving queue
    private long posted;
    private long ended; // every operation below has its result
    private long orderedFrom; // operations below may have been overtaken in a drain
    private boolean failing;
    private boolean drained;
    private boolean suspends;

    SendSide(Life life, Kind kind, @Nullable ReceiveSide receives) {
        Scenario scenario = life.world.scenario;
        this.life = life;
        this.tag = life.sends.size();
        this.kind = kind;
        this.receives = receives;
        this.quota = scenario.operations();
        SendQueueConfig.Builder config = SendQueueConfig.builder(kind, ring, DEPTH, STRIDE, life.completions.sendCq())
                .number(life.world.newNumber())
                .tag(tag)
                .sourceId(1 + tag)
                .queueKey(DATAGRAM_KEY);
        if (!scenario.harmless()) {
            config.timeoutNanos(life.world.random.nextInt(3) == 0 ? 300_000_000L : 15_000_000_000L);
        }
        if (receives != null) {
            config.receives(receives.handle, life.completions.receiveCq(), receives.tag);
        }
        this.handle = life.card.createSendQueue(config.build());
        life.sends.add(this);
    }

    int number() {
        return life.card.sendNumber(handle);
    }

    boolean hasRoom() {
        return posted - ended < DEPTH;
    }

    /** Whether the workload may post to it. */
    boolean isUp() {
        return !failing && !life.isDead && (kind != Kind.RC || pair != null && pair.isUp());
    }

    boolean isIdle() {
        return posted == ended;
    }

    /** Whether the workload is done with it, and all results have arrived. */
    boolean isFinished() {
        return life.isDead || quota == 0 && isIdle() && !failing;
    }

    boolean mayHaveOpenTowards(Life other) {
        for (long at = ended; at < posted; at++) {
            if (slot(at).target == other) {
                return true;
            }
        }
        return false;
    }

    int datagramTarget(Life other, int number) {
        return datagramTargets.computeIfAbsent(
                number,
                to -> life.card.createDatagramTarget(life.portOf(life.routeTo(other.machine.index)), to, DATAGRAM_KEY));
    }

    private Operation slot(long position) {
        Operation one = slots[(int) (position & DEPTH - 1)];
        if (one == null || one.position != position) {
            throw Violation.of("%s: nothing is posted at %d", this, position);
        }
        return one;
    }

    // ---- posting

    /** The address of the next WQE. */
    long nextAt() {
        return WqRing.at(posted, DEPTH, STRIDE);
    }

    NativeMemory ring() {
        return ring;
    }

    /** Posts the WQE written to {@link #nextAt}; the caller rings the doorbell. */
    void posted(Operation operation) {
        operation.position = posted;
        slots[(int) (posted & DEPTH - 1)] = operation;
        WqRing.produced(ring, ++posted);
        life.world.trace.say(life.toString(), "posts %s%s", operation, operation.signalled ? "" : ", silent");
    }

    void ring(boolean directly) {
        if (directly && !life.machine.isPaused()) {
            life.card.doorbell(handle);
        } else {
            life.card.doorbells().ring(handle);
        }
        life.arm(0);
    }

    /** Posts a signalled NOP behind unsignalled work: only the next record reports their success. */
    void endSilence() {
        if (isUp() && !isIdle() && hasRoom() && !slot(posted - 1).signalled) {
            World world = life.world;
            Operation end = new Operation(world.nextOperation(), WorkOpcode.NOP, 0, this, life, true);
            SendWqe.put(ring, nextAt(), WorkOpcode.NOP, 1, 0, 0, 0);
            world.add(end);
            posted(end);
            ring(true);
        }
    }

    // ---- results

    void recorded(long position, int status, int flags) {
        if (status == WorkStatus.WR_FLUSH_ERR_DONE || status == WorkStatus.WR_SUSPEND_DONE) {
            life.world.trace.say(life.toString(), "%s: %s", this, Operation.statusName(status));
            drained = true;
            return;
        }
        if (position < ended || position >= posted) {
            throw Violation.of(
                    "%s: a record with %s for %d, but %d to %d are open",
                    this, Operation.statusName(status), position, ended, posted - 1);
        }
        if (!failing && !suspends) {
            checkOrder(position);
        }
        end(slot(position), status);
        drained |= (flags & (Cqe.FLUSH_ERR_DONE | Cqe.SUSPEND_DONE)) != 0;
    }

    /**
     * All signalled operations before have their records, unless a drain lets records overtake work that was never
     * started.
     */
    private void checkOrder(long position) {
        for (long before = Math.max(ended, orderedFrom); before < position; before++) {
            Operation one = slot(before);
            if (one.signalled && one.isOpen()) {
                throw Violation.of("%s: no record of %s came before that of %d", this, one, position);
            }
        }
    }

    /** Unsignalled work that the card frees without a record has succeeded. */
    private void endSilently(long before) {
        for (long position = ended; position < before; position++) {
            Operation silent = slot(position);
            if (silent.isOpen()) {
                if (silent.signalled) {
                    throw Violation.of("%s: the card has done with %s, and no record was made", this, silent);
                }
                end(silent, WorkStatus.SUCCESS);
            }
        }
    }

    private void end(Operation operation, int status) {
        life.world.trace.say(life.toString(), "%s: %s", operation, Operation.statusName(status));
        Results.end(operation, status);
        while (ended < posted && !slot(ended).isOpen()) {
            ended++;
        }
        if (status != WorkStatus.SUCCESS && status != WorkStatus.WR_UNHANDLED) {
            failing = true;
        }
    }

    void hasFailed() {
        failing = true;
    }

    // ---- failure and recovery

    void afterStep() {
        endSilently(WqRing.consumed(ring));
        if (failing) {
            suspends = false; // ERROR takes precedence
            orderedFrom = posted;
        }
        if (suspends && drained) {
            suspends = false;
            drained = false;
            orderedFrom = posted;
            modify(QueueState.READY);
            life.arm(0);
        }
        if (!failing || !drained) {
            return;
        }
        flush();
        drained = false;
        if (kind == Kind.RC) {
            if (pair != null) {
                pair.isDrained(this);
            }
            return;
        }
        modify(QueueState.RESET);
        modify(QueueState.READY);
        failing = false;
    }

    private void flush() {
        int taken;
        while ((taken = life.card.flush(handle, flushed, DEPTH, life.world.time.now())) > 0) {
            for (int i = 0; i < taken; i++) {
                long position = flushed[2 * i];
                if (position < ended || position >= posted) {
                    throw Violation.of(
                            "%s: flush told of %d, but %d to %d are open", this, position, ended, posted - 1);
                }
                end(slot(position), (int) flushed[2 * i + 1]);
            }
        }
        endSilently(posted);
    }

    /** Moves the queue to ERROR, unless it is there already. */
    void fail() {
        failing = true;
        if (life.card.sendState(handle) != QueueState.ERROR) {
            modify(QueueState.ERROR);
        }
        life.arm(0);
    }

    /** Suspends the queue: it holds later work until what was started is done, and then continues. */
    void suspend() {
        if (isUp() && !suspends && life.card.sendState(handle) == QueueState.READY) {
            life.world.trace.say(life.toString(), "suspends %s", this);
            suspends = true;
            drained = false;
            modify(QueueState.SUSPENDED);
            life.arm(0);
        }
    }

    private void modify(QueueState state) {
        if (!life.card.modifySendQueue(handle, state, life.world.time.now())) {
            throw Violation.of("%s cannot go from %s to %s", this, life.card.sendState(handle), state);
        }
    }

    /** Connected again. */
    void isReadyAgain() {
        failing = false;
        drained = false;
    }

    // ---- order

    /** A message has arrived: all earlier WRITEs of the same queue to the same peer must be visible. */
    void checkEffectsBefore(Operation message) {
        for (long at = ended; at < posted; at++) {
            Operation one = slot(at);
            if (one.position >= message.position) {
                return;
            }
            boolean sameTarget =
                    one.target == message.target && (one.receiver == null || one.receiver == message.receiver);
            if (one.isWrite() && sameTarget && one.isOpen() && !one.target.isDead && !one.forbidden) {
                one.tooLate |= Results.isWritten(one) >= 0;
            }
        }
    }

    String openOnes() {
        StringBuilder open = new StringBuilder();
        for (long at = ended; at < posted; at++) {
            open.append(open.isEmpty() ? "" : "; ").append(slot(at));
        }
        return String.format(
                "%s in state %s%s%s, %d to be posted, open: %s",
                this, life.card.sendState(handle), failing ? ", failing" : "", drained ? ", drained" : "", quota, open);
    }

    @Override
    public String toString() {
        return life + "/" + kind + tag;
    }
}

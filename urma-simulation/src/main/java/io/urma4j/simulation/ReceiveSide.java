package io.urma4j.simulation;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.ReceiveQueueConfig;
import io.urma4j.udma.command.SendQueueConfig.Kind;
import io.urma4j.udma.ring.ReceiveWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.ring.WqRing;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A receive queue with its buffers. It checks that each message arrives once, in the order of its sender. */
final class ReceiveSide {
    private static final int DEPTH = 64;
    private static final int MAX_RANGES = 3;
    private static final int STRIDE = ReceiveWqe.strideBytes(MAX_RANGES);

    final Life life;
    final int tag;
    final int handle;
    final int number;
    private final boolean datagrams;
    private final boolean connected;
    private final int bufferBytes;
    private final NativeMemory ring = NativeMemory.allocate(WqRing.bytes(DEPTH, STRIDE));
    private final ArrayDeque<Long> buffers = new ArrayDeque<>();
    private final Map<Long, Long> posted = new HashMap<>(); // position to buffer
    private final Map<SendSide, Long> latest = new HashMap<>(); // position of the youngest message
    private long produced;

    /** The number of posted receives to keep up; when fewer are left, more are posted after a delay. */
    private final int wanted;

    private boolean refills;

    ReceiveSide(Life life, boolean datagrams, boolean connected) {
        Scenario scenario = life.world.scenario;
        this.life = life;
        this.tag = life.receives.size();
        this.datagrams = datagrams;
        this.connected = connected;
        this.bufferBytes = datagrams ? scenario.mtuBytes() : Workload.longestMessage(scenario);
        this.wanted = Math.min(scenario.receives(), DEPTH);
        ReceiveQueueConfig.Builder config = ReceiveQueueConfig.builder(
                        ring, DEPTH, STRIDE, life.completions.receiveCq())
                .number(connected ? 0 : life.world.newNumber())
                .tag(tag)
                .rnrTimerCode(1 + life.world.random.nextInt(16))
                .allowInvalidate(true);
        if (datagrams) {
            config.datagrams(SendSide.DATAGRAM_KEY);
        }
        if (connected) {
            config.connected();
        }
        this.handle = life.card.createReceiveQueue(config.build());
        this.number = life.card.receiveNumber(handle);
        life.receives.add(this);
        for (int i = 0; i < wanted; i++) {
            long buffer = life.local.allocate(bufferBytes);
            if (buffer >= 0) {
                buffers.add(buffer);
            }
        }
        refill();
    }

    /** Whether queues of that kind may send to it without being connected. */
    boolean takes(Kind kind) {
        return !connected && datagrams == (kind == Kind.UM);
    }

    // ---- posting

    private void refill() {
        refills = false;
        while (!buffers.isEmpty() && produced - WqRing.consumed(ring) < DEPTH) {
            post(buffers.remove());
        }
    }

    private void post(long buffer) {
        long at = WqRing.at(produced, DEPTH, STRIDE);
        int ranges = 1 + life.world.random.nextInt(MAX_RANGES);
        ReceiveWqe.put(ring, at, ranges, produced);
        long from = 0;
        for (int i = 0; i < ranges; i++) {
            long length = i == ranges - 1 ? bufferBytes - from : life.world.random.nextLong(bufferBytes - from + 1);
            ReceiveWqe.range(ring, at, i, life.local.key, (int) length, buffer + from);
            from += length;
        }
        posted.put(produced, buffer);
        WqRing.produced(ring, ++produced);
    }

    private void refillLater() {
        if (!refills) {
            refills = true;
            long wait = life.world.random.nextInt(4) == 0
                    ? life.world.random.nextLong(5_000_000)
                    : life.world.random.nextLong(20_000);
            life.world.time.after(wait, this::refill);
        }
    }

    // ---- what arrives

    void recorded(long position, int status, int opcode, long lengthBytes, long immediate) {
        Long buffer = posted.remove(position);
        if (buffer == null) {
            throw Violation.of("%s: receive %d has a record, but was not posted or has had one", this, position);
        }
        if (status != WorkStatus.SUCCESS) {
            life.world.trace.say(
                    life.toString(), "%s: receive %d ends with %s", this, position, Operation.statusName(status));
            if (life.world.scenario.harmless()) {
                throw Violation.of("%s: receive %d ended with %s", this, position, Operation.statusName(status));
            }
        } else {
            arrived(buffer, position, opcode, lengthBytes, immediate);
        }
        Life.wipe(life.local.memory, buffer, bufferBytes);
        buffers.add(buffer);
        refillLater();
    }

    private void arrived(long buffer, long position, int opcode, long lengthBytes, long immediate) {
        Operation operation = identify(buffer, opcode, lengthBytes, immediate);
        if (operation == null) {
            throw Violation.of(
                    "%s: receive %d brought a %s of %d bytes that no queue sent, immediate 0x%x",
                    this, position, Operation.name(opcode), lengthBytes, immediate);
        }
        life.world.trace.say(life.toString(), "%s: receive %d is %s", this, position, operation);
        if (operation.receiver != this || operation.opcode != opcode || operation.lengthBytes != lengthBytes) {
            throw Violation.of(
                    "%s: receive %d brought %s as a %s of %d bytes, which is not what was sent here",
                    this, position, operation, Operation.name(opcode), lengthBytes);
        }
        if (operation.status == WorkStatus.WR_UNHANDLED) {
            throw Violation.of("%s: %s arrived, but was never started", this, operation);
        }
        if (!datagrams) {
            checkOnceAndInOrder(operation);
        }
        operation.delivered = true;
        if (opcode == WorkOpcode.WRITE_IMM) {
            checkPlaced(operation);
            checkUntouched(buffer, 0, operation);
        } else {
            checkBuffer(buffer, operation);
        }
        if (operation.invalidates != null) {
            invalidated(operation.invalidates, immediate);
        }
        operation.queue.checkEffectsBefore(operation);
    }

    private @Nullable Operation identify(long buffer, int opcode, long lengthBytes, long immediate) {
        if (opcode == WorkOpcode.SEND_IMM || opcode == WorkOpcode.WRITE_IMM) {
            return life.world.operation(immediate);
        }
        if (lengthBytes < Long.BYTES) {
            return null;
        }
        return life.world.message(life.local.memory.get(JAVA_LONG, buffer));
    }

    private void checkOnceAndInOrder(Operation operation) {
        if (operation.delivered) {
            throw Violation.of("%s: %s arrived twice", this, operation);
        }
        Long before = latest.put(operation.queue, operation.position);
        if (before != null && before >= operation.position) {
            throw Violation.of("%s: %s arrived after that at %d of its queue", this, operation, before);
        }
    }

    private void checkPlaced(Operation operation) {
        if (operation.window != null && operation.window.revoked || operation.target.isDead) {
            return;
        }
        long wrong = Pattern.mismatch(life.home.memory, operation.homeOffset, operation.lengthBytes, operation.id);
        if (wrong >= 0) {
            throw Violation.of("%s: the notice of %s is here, but its byte %d is not", this, operation, wrong);
        }
    }

    private void checkBuffer(long buffer, Operation operation) {
        long wrong = Pattern.mismatch(life.local.memory, buffer, operation.lengthBytes, operation.id);
        if (wrong >= 0) {
            throw Violation.of("%s: byte %d of %s is not what was sent", this, wrong, operation);
        }
        checkUntouched(buffer, operation.lengthBytes, operation);
    }

    private void checkUntouched(long buffer, long from, Operation operation) {
        long wrong = Pattern.mismatch(life.local.memory, buffer + from, bufferBytes - from, Pattern.UNTOUCHED);
        if (wrong >= 0 && life.world.scenario.harmless()) { // else the buffer may have a part of an aborted message
            throw Violation.of(
                    "%s: byte %d of the buffer was written, which %s does not reach", this, from + wrong, operation);
        }
        life.local.checkBehind(buffer, bufferBytes, operation);
    }

    private void invalidated(Window window, long immediate) {
        if (immediate != window.recordId) {
            throw Violation.of("%s: token id %d was invalidated, not that of %s", this, immediate, window);
        }
        if (!window.revoked) {
            window.becomesSecret();
        }
    }

    @Override
    public String toString() {
        return life + "/receive 0x" + Integer.toHexString(number);
    }
}

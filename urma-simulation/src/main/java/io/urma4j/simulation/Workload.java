package io.urma4j.simulation;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.command.SendQueueConfig.Kind;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Draws work requests and posts them: all opcodes, all lengths, to all peers. */
final class Workload {
    private static final int SIGNALLED = 1;
    private static final int SOLICITED = 2;
    private static final int FENCE = 4;

    private final World world;
    private final SplittableRandom random;
    private long lastOwner;
    private final Map<SendSide, Operation> lastWrites = new HashMap<>();

    Workload(World world) {
        this.world = world;
        this.random = world.random.split();
    }

    static int longestMessage(Scenario scenario) {
        return Math.min(8 * scenario.longMtuBytes(), 10_000);
    }

    /** Posts to a queue from time to time, until its quota is used up. */
    void drive(SendSide side) {
        if (side.life.isDead || side.quota == 0) {
            return;
        }
        if (side.isUp() && !side.life.machine.isPaused()) {
            int burst = 1 + random.nextInt(4);
            boolean any = false;
            for (int i = 0; i < burst && side.quota > 0 && side.hasRoom(); i++) {
                any |= postOne(side);
            }
            if (any) {
                side.ring(random.nextBoolean());
            }
            if (random.nextInt(40) == 0) {
                side.suspend();
            }
        }
        long think =
                random.nextInt(3) == 0 ? 10_000 : 4 * world.scenario.faults().delayNanos();
        world.time.after(1 + random.nextLong(think), () -> drive(side));
    }

    private boolean postOne(SendSide side) {
        @Nullable Operation operation = side.kind == Kind.UM ? datagram(side) : draw(side);
        if (operation == null) {
            return false;
        }
        side.quota--;
        return true;
    }

    // ---- the operations

    private @Nullable Operation draw(SendSide side) {
        Life target = target(side);
        if (target == null) {
            return null;
        }
        int kind = random.nextInt(100);
        if (!world.scenario.harmless() && kind >= 94) {
            return forbidden(side, target);
        }
        if (kind < 30) {
            return message(side, target);
        }
        if (kind < 62) {
            return write(side, target);
        }
        if (kind < 80) {
            return read(side, target);
        }
        return kind < 97 ? atomic(side, target) : nop(side, target);
    }

    /** The target of the next operation; null while no peer can be reached. */
    private @Nullable Life target(SendSide side) {
        if (side.kind == Kind.RC) {
            Life peer = side.pair == null ? null : side.pair.peerOf(side).life;
            return peer == null || peer.isDead ? null : peer;
        }
        List<Machine> machines = world.machines;
        int other = (side.life.machine.index + 1 + random.nextInt(machines.size() - 1)) % machines.size();
        Life life = machines.get(other).life;
        Link link = side.life.linkTo(life);
        return side.kind == Kind.UM || link != null && link.isUp() ? life : null;
    }

    private int length(int longest) {
        int mtu = world.scenario.longMtuBytes();
        int drawn = switch (random.nextInt(8)) {
            case 0 -> 0;
            case 1, 2 -> random.nextInt(65);
            case 3 -> 8;
            case 4 -> mtu * (1 + random.nextInt(3)) + random.nextInt(5) - 2;
            case 5 -> mtu * (1 + random.nextInt(8));
            case 6 -> random.nextInt(2 * mtu);
            default -> random.nextInt(longest + 1);
        };
        return Math.min(drawn, longest);
    }

    private Operation make(SendSide side, Life target, int opcode, int length) {
        Operation made = new Operation(world.nextOperation(), opcode, length, side, target, random.nextInt(3) > 0);
        boolean hasImmediate = opcode == WorkOpcode.SEND_IMM || opcode == WorkOpcode.WRITE_IMM;
        if (hasImmediate && world.scenario.wideImmediates() && !isForeign(side) && random.nextBoolean()) {
            made.immediate |= (long) random.nextInt() << Integer.SIZE;
        }
        return made;
    }

    /** Whether the peer counts as foreign, so that our extensions are not used. */
    private static boolean isForeign(SendSide side) {
        return side.pair != null && side.pair.isForeign;
    }

    private @Nullable Operation message(SendSide side, Life target) {
        Window invalid = random.nextInt(8) == 0 && !world.scenario.harmless() ? window(side, target) : null;
        int opcode = invalid != null
                ? WorkOpcode.SEND_INVALIDATE
                : random.nextBoolean() ? WorkOpcode.SEND : WorkOpcode.SEND_IMM;
        int length = length(longestMessage(world.scenario));
        Operation send =
                make(side, target, opcode, opcode == WorkOpcode.SEND_IMM ? length : Math.max(length, Long.BYTES));
        send.receiver = receiver(side, target);
        send.invalidates = invalid;
        if (send.receiver == null || !provide(send)) {
            return null;
        }
        return post(send, queueTarget(send), 0, 0);
    }

    private @Nullable ReceiveSide receiver(SendSide side, Life target) {
        if (side.kind == Kind.RC) {
            return side.pair == null ? null : side.pair.peerOf(side).receives;
        }
        List<ReceiveSide> all =
                target.receives.stream().filter(one -> one.takes(side.kind)).toList();
        return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    }

    private int queueTarget(Operation operation) {
        ReceiveSide receiver = operation.receiver;
        Link link = operation.queue.life.linkTo(operation.target);
        return receiver == null || link == null || operation.queue.kind == Kind.RC
                ? 0
                : link.target(operation.queue.life, receiver.number);
    }

    private int memoryTarget(Operation operation) {
        Link link = operation.queue.life.linkTo(operation.target);
        return link == null || operation.queue.kind == Kind.RC ? 0 : link.memoryTarget(operation.queue.life);
    }

    private @Nullable Operation write(SendSide side, Life target) {
        int opcode = random.nextInt(4) > 0
                ? WorkOpcode.WRITE
                : random.nextBoolean() || isForeign(side) ? WorkOpcode.WRITE_IMM : WorkOpcode.WRITE_NOTIFY;
        Window window = opcode == WorkOpcode.WRITE && random.nextInt(4) == 0 ? window(side, target) : null;
        int length = length(window == null ? longestMessage(world.scenario) : 512);
        Operation write = make(side, target, opcode, length);
        if (window != null && window.written + length <= Window.BYTES / 2) {
            write.window = window;
            write.homeOffset = window.offset + window.written;
            window.written += length;
        } else {
            write.homeOffset = target.home.allocate(length, random.nextInt(3) == 0 ? 8 : 1);
        }
        if (opcode == WorkOpcode.WRITE_NOTIFY) {
            write.notifyOffset = target.home.allocate(Long.BYTES, Long.BYTES);
        }
        if (opcode == WorkOpcode.WRITE_IMM) {
            write.receiver = receiver(side, target);
        }
        boolean complete = write.homeOffset >= 0
                && write.notifyOffset >= 0
                && (opcode != WorkOpcode.WRITE_IMM || write.receiver != null)
                && provide(write);
        if (!complete) {
            return null;
        }
        target.home.isWrittenBy(write);
        lastWrites.put(side, write);
        return post(
                write,
                opcode == WorkOpcode.WRITE_IMM ? queueTarget(write) : memoryTarget(write),
                key(write),
                va(write));
    }

    private @Nullable Operation read(SendSide side, Life target) {
        Operation before = lastWrites.get(side);
        if (before != null
                && before.isOpen()
                && before.target == target
                && before.window == null
                && !before.forbidden
                && random.nextInt(3) == 0) {
            return readBack(side, before);
        }
        Window window = random.nextInt(4) == 0 ? window(side, target) : null;
        int half = Window.BYTES / 2;
        int length = length(window == null ? longestMessage(world.scenario) : half);
        Operation read = make(side, target, WorkOpcode.READ, length);
        read.window = window;
        if (window == null) {
            read.patternFrom = random.nextInt(HomeMemory.READABLE_BYTES - length + 1);
            read.pattern = target.home.readablePattern;
            read.homeOffset = target.home.readableAt(read.patternFrom);
        } else {
            read.patternFrom = random.nextInt(half - length + 1);
            read.pattern = window.pattern;
            read.homeOffset = window.offset + half + read.patternFrom;
        }
        return provideRoom(read) ? post(read, memoryTarget(read), key(read), va(read)) : null;
    }

    /** Reads back what the same queue has written: the READ must see the earlier WRITE (S8.9). */
    private @Nullable Operation readBack(SendSide side, Operation before) {
        Operation read = make(side, before.target, WorkOpcode.READ, before.lengthBytes);
        read.homeOffset = before.homeOffset;
        read.pattern = before.id;
        read.reads = before;
        if (!provideRoom(read)) {
            return null;
        }
        before.readers++;
        return post(read, memoryTarget(read), key(read), va(read));
    }

    private @Nullable Operation atomic(SendSide side, Life target) {
        List<Word> words = isForeign(side) ? target.home.wordsForAll() : target.home.words;
        Word word = words.get(random.nextInt(words.size()));
        if (!word.hasRoom()) {
            return null;
        }
        Operation atomic = make(side, target, word.opcode, word.sizeBytes);
        if (!provideRoom(atomic)) {
            return null;
        }
        word.prepare(atomic);
        return post(atomic, memoryTarget(atomic), key(atomic), va(atomic));
    }

    private Operation nop(SendSide side, Life target) {
        return post(make(side, target, WorkOpcode.NOP, 0), 0, 0, 0);
    }

    /** An operation with a wrong key, or a range that ends outside: it must fail, and change nothing. */
    private @Nullable Operation forbidden(SendSide side, Life target) {
        boolean reads = random.nextBoolean();
        Operation operation = make(side, target, reads ? WorkOpcode.READ : WorkOpcode.WRITE, 1 + length(500));
        operation.forbidden = true;
        if (!(reads ? provideRoom(operation) : provide(operation))) {
            return null;
        }
        int key = target.home.key();
        Window stranger = target.home.windows.stream()
                .filter(one -> one.peer != side.life)
                .findFirst()
                .orElse(null);
        if (stranger != null && random.nextBoolean()) {
            operation.homeOffset = stranger.offset + Window.BYTES / 2; // the half that no operation may write
            return post(operation, memoryTarget(operation), stranger.key, va(operation));
        }
        if (random.nextBoolean()) {
            operation.homeOffset = target.home.allocate(operation.lengthBytes, 1);
            if (operation.homeOffset < 0) {
                return null;
            }
            if (!reads) {
                target.home.isWrittenBy(operation);
            }
            int wrong = key ^ 1 << random.nextInt(8); // another generation
            return post(operation, memoryTarget(operation), wrong, va(operation));
        }
        operation.insideBytes = random.nextInt(operation.lengthBytes);
        long outside = target.home.vaBehind() - operation.insideBytes;
        return post(operation, memoryTarget(operation), key, outside);
    }

    private @Nullable Operation datagram(SendSide side) {
        Life target = target(side);
        ReceiveSide receiver = target == null ? null : receiver(side, target);
        if (target == null || receiver == null) {
            return null;
        }
        Operation send = make(side, target, WorkOpcode.SEND, Math.max(8, length(world.scenario.mtuBytes())));
        send.receiver = receiver;
        if (!provide(send)) {
            return null;
        }
        return post(send, side.datagramTarget(target, receiver.number), 0, 0);
    }

    // ---- windows

    /** A window that the peer may use, an existing or a new one; null when there is no room. */
    private @Nullable Window window(SendSide side, Life target) {
        List<Window> old = target.home.windows.stream()
                .filter(one -> one.peer == side.life && !one.revoked)
                .toList();
        if (!old.isEmpty() && random.nextInt(4) > 0) {
            return old.get(random.nextInt(old.size()));
        }
        long offset = target.home.allocate(Window.BYTES, 8);
        if (offset < 0) {
            return null;
        }
        long va = target.home.va(offset);
        long owner = ++lastOwner;
        int recordId = 1000 + (int) owner;
        MemorySegment slice = target.home.memory.asSlice(offset, Window.BYTES);
        int key = target.card.registerKey(new KeyConfig(
                slice, va, Memory.READ | Memory.WRITE, Link.peer(side.life).number(), owner, recordId));
        Window window = new Window(target, offset, key, va, 500_000_000 + (int) owner, side.life, owner, recordId);
        target.home.windows.add(window);
        return window;
    }

    private static int key(Operation operation) {
        Window window = operation.window;
        return window == null ? operation.target.home.key() : window.key;
    }

    private static long va(Operation operation) {
        Window window = operation.window;
        return window == null
                ? operation.target.home.va(operation.homeOffset)
                : window.va + (operation.homeOffset - window.offset);
    }

    // ---- local memory

    private static boolean provide(Operation operation) {
        if (!provideRoom(operation)) {
            return false;
        }
        Pattern.fill(operation.queue.life.local.memory, operation.localOffset, operation.lengthBytes, operation.id);
        return true;
    }

    private static boolean provideRoom(Operation operation) {
        operation.localOffset = operation.queue.life.local.allocate(operation.lengthBytes);
        return operation.localOffset >= 0;
    }

    private Operation post(Operation operation, int target, int key, long va) {
        SendSide side = operation.queue;
        NativeMemory ring = side.ring();
        long at = side.nextAt();
        boolean sends = operation.isMessage() || operation.isWrite();
        boolean inline = sends && operation.lengthBytes <= SendSide.MAX_INLINE_BYTES && random.nextInt(3) == 0;
        int ranges = inline || operation.opcode == WorkOpcode.NOP ? 0 : ranges(operation);
        int flags = (operation.signalled ? SIGNALLED : 0)
                | (random.nextInt(4) == 0 ? SOLICITED : 0)
                | (random.nextInt(8) == 0 && side.kind != Kind.UM ? FENCE : 0)
                | (inline ? SendWqe.INLINE : 0);
        SendWqe.put(ring, at, operation.opcode, flags, ranges, target, operation.lengthBytes);
        Window invalidates = operation.invalidates;
        SendWqe.remote(ring, at, key, va);
        SendWqe.hint(ring, at, 0);
        if (operation.opcode == WorkOpcode.WRITE_NOTIFY) {
            long notifyVa = operation.target.home.va(operation.notifyOffset);
            SendWqe.notify(ring, at, operation.target.home.key(), notifyVa, operation.id);
        } else {
            long operand = operation.word != null ? operation.operand : operation.immediate;
            operand = invalidates != null ? Integer.toUnsignedLong(invalidates.key) : operand;
            SendWqe.operands(ring, at, operand, operation.expected);
        }
        if (inline) {
            MemorySegment.copy(
                    side.life.local.memory,
                    operation.localOffset,
                    ring.segment(),
                    SendWqe.inlineAt(at),
                    operation.lengthBytes);
        } else {
            putRanges(operation, ring, at, ranges);
        }
        world.add(operation);
        side.posted(operation);
        return operation;
    }

    private int ranges(Operation operation) {
        return operation.word != null ? 1 : 1 + random.nextInt(SendSide.MAX_RANGES);
    }

    private void putRanges(Operation operation, NativeMemory ring, long at, int ranges) {
        int from = 0;
        for (int i = 0; i < ranges; i++) {
            int rest = operation.lengthBytes - from;
            int length = i == ranges - 1 ? rest : random.nextInt(rest + 1);
            SendWqe.range(ring, at, i, operation.queue.life.local.key, length, operation.localOffset + from);
            from += length;
        }
    }
}

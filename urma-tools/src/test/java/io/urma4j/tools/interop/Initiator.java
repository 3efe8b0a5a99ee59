package io.urma4j.tools.interop;

import static io.urma4j.tools.interop.Home.MIB;
import static io.urma4j.tools.interop.Pattern.SURROUNDINGS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.Completion;
import io.urma4j.CompletionStatus;
import io.urma4j.Jfs;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedMemory;
import io.urma4j.WorkRequestList;
import io.urma4j.tools.interop.Home.RoceSegment;
import java.lang.foreign.MemorySegment;

/** Operates on the memory of the other end, and has it look. */
final class Initiator {
    private static final int DATA = 4096; // where ranges begin; words are before
    private static final long WORD = 8;
    private static final int IN_FLIGHT = 16;
    private static final int ATOMICS = 20 * IN_FLIGHT;
    private static final int WINDOW_BYTES = 4096;

    private final Home home;
    private final Lines lines;
    private final int mtuBytes;
    private final boolean lossy;
    private final SharedMemory memory;
    private final LocalSegment local;
    private RemoteSegment remote;

    Initiator(Home home, Lines lines, int mtuBytes, boolean lossy) {
        this.home = home;
        this.lines = lines;
        this.mtuBytes = mtuBytes;
        this.lossy = lossy;
        memory = home.context().allocate(home.peer().lengthBytes());
        local = home.context().register(memory, Access.LOCAL_ONLY);
        remote = home.imported(home.peer(), Access.READ_WRITE_ATOMIC);
    }

    /** Everything, until the end. */
    void play() {
        bytes().fill(Pattern.BLANK);
        writesAndReads();
        readsBehindWrites();
        messages();
        atomics();
        beyondTheEnd();
        again();
        window();
        lines.tell("end");
    }

    private MemorySegment bytes() {
        return memory.segment();
    }

    private Jfs jfs() {
        return home.jetty().jfs();
    }

    private static void posted(boolean accepted) {
        if (!accepted) {
            throw new IllegalStateException("the send queue is full");
        }
    }

    private void ended(int count, CompletionStatus wanted, String what) {
        for (int i = 0; i < count; i++) {
            Completion record = home.sent();
            if (record.status() != wanted) {
                throw new IllegalStateException(what + " ended not with " + wanted + " but with " + record);
            }
        }
    }

    /** Linux refuses once, and answers nothing after that: when the refusal is lost, there is only silence. */
    private void refused(String what) {
        CompletionStatus status = home.sent().status();
        boolean isSilent = lossy && status == CompletionStatus.ACK_TIMEOUT_ERR;
        if (status != CompletionStatus.REM_ACCESS_ABORT_ERR && !isSilent) {
            throw new IllegalStateException(what + " was not refused but ended with " + status);
        }
    }

    private void writesAndReads() {
        int[] sizes = {0, 1, 8, mtuBytes - 1, mtuBytes, mtuBytes + 1, 5000, 64 << 10, MIB};
        for (int i = 0; i < sizes.length; i++) {
            long at = DATA + SURROUNDINGS + i * 3L; // no alignment is required
            String there = (at + 1) + " " + sizes[i] + " ";
            Pattern.fill(bytes(), at, sizes[i], i);
            posted(jfs().write(remote, at + 1, local, at, sizes[i], i));
            ended(1, CompletionStatus.SUCCESS, "WRITE of " + sizes[i]);
            lines.ask("check " + there + i);

            int seed = i + 100;
            lines.ask("fill " + there + seed);
            bytes().fill(Pattern.BLANK);
            posted(jfs().read(remote, at + 1, local, at, sizes[i], i));
            ended(1, CompletionStatus.SUCCESS, "READ of " + sizes[i]);
            Pattern.look(bytes(), at, sizes[i], seed).ifPresent(wrong -> {
                throw new IllegalStateException("READ: " + wrong);
            });
            lines.ask("check " + there + seed);
        }
    }

    private void readsBehindWrites() {
        for (int i = 0; i < IN_FLIGHT; i++) {
            Pattern.fill(bytes(), DATA + i * 4096L, sizeOf(i), i);
        }
        for (int i = 0; i < IN_FLIGHT; i++) {
            // with a fence, since it covers a part of what the READ before it reads
            PostFlags fenced = PostFlags.DEFAULT.fenced();
            posted(jfs().write(remote, DATA + i * 2048L, local, DATA + i * 4096L, sizeOf(i), i, fenced));
            posted(jfs().read(remote, DATA + i * 2048L, local, DATA + (IN_FLIGHT + i) * 4096L, sizeOf(i), i));
        }
        ended(2 * IN_FLIGHT, CompletionStatus.SUCCESS, "READ behind WRITE");
        for (int i = 0; i < IN_FLIGHT; i++) {
            Pattern.compare(bytes(), DATA + (IN_FLIGHT + i) * 4096L, sizeOf(i), i)
                    .ifPresent(wrong -> {
                        throw new IllegalStateException("READ behind WRITE: " + wrong);
                    });
        }
        lines.ask("blank");
    }

    private static long sizeOf(int number) {
        return 100 + number * 200L;
    }

    private void messages() {
        long[] values = {0, 1, 0x0102_0304L, 0xCAFE_BABEL, 0xFFFF_FFFFL};
        int[] sizes = {5, mtuBytes, mtuBytes + 1, 2 * mtuBytes + 6, 64};
        WorkRequestList list = new WorkRequestList(1, 1);
        for (int i = 0; i < values.length; i++) {
            long at = (long) DATA + SURROUNDINGS + i;
            int size = sizes[i];
            Pattern.fill(bytes(), at, size, i);
            posted(jfs().send(null, local, at, size, i));
            ended(1, CompletionStatus.SUCCESS, "SEND");
            lines.ask("message send " + size + " 0 " + i);

            posted(jfs().sendImmediate(null, local, at, size, values[i], i));
            ended(1, CompletionStatus.SUCCESS, "SEND_IMM");
            lines.ask("message immediate " + size + " " + values[i] + " " + i);

            list.clear().writeImmediate(null, remote, at, values[i], i).from(local, at, size);
            posted(jfs().post(list) == 1);
            ended(1, CompletionStatus.SUCCESS, "WRITE_IMM");
            lines.ask("message written " + size + " " + values[i] + " 0");
            lines.ask("check " + at + " " + size + " " + i);
        }
    }

    private void atomics() {
        long word = 0xFFFF_FFFF_FFFF_FFF0L;
        long[] before = new long[IN_FLIGHT];
        lines.ask(String.format("set %d %x", WORD, word));
        for (int i = 0; i < ATOMICS; i++) {
            int slot = i % IN_FLIGHT;
            before[slot] = word;
            long operand = (i + 1) * 0x9E37_79B9_7F4A_7C15L;
            if (i % 2 == 0) {
                posted(jfs().fetchAndAdd(remote, WORD, local, slot * 8L, operand, i));
                word += operand;
            } else {
                boolean hits = i % 3 != 0; // every third comparison misses
                posted(jfs().compareAndSwap(remote, WORD, local, slot * 8L, hits ? word : ~word, operand, i));
                word = hits ? operand : word;
            }
            if (slot == IN_FLIGHT - 1) {
                ended(IN_FLIGHT, CompletionStatus.SUCCESS, "atomics");
                compare(before);
            }
        }
        lines.ask(String.format("word %d %x", WORD, word));
    }

    private void compare(long[] before) {
        for (int slot = 0; slot < IN_FLIGHT; slot++) {
            long got = bytes().getAtIndex(JAVA_LONG, slot);
            if (got != before[slot]) {
                throw new IllegalStateException(String.format("an atomic gave 0x%x, not 0x%x", got, before[slot]));
            }
        }
    }

    /** Our own library would refuse such a range, so the import claims more memory than there is. */
    private void beyondTheEnd() {
        RoceSegment told = home.peer();
        RoceSegment longer = new RoceSegment(told.gid(), told.key(), told.va(), told.lengthBytes() + SURROUNDINGS);
        try (RemoteSegment beyond = home.imported(longer, Access.READ_WRITE)) {
            posted(jfs().write(beyond, told.lengthBytes() - SURROUNDINGS, local, 0, 2 * SURROUNDINGS, 0));
            refused("WRITE beyond the end");
        }
        lines.ask("check " + (told.lengthBytes() - SURROUNDINGS) + " 0 0");
    }

    private void again() {
        remote.close();
        lines.tell("again");
        home.newQueue();
        remote = home.imported(home.peer(), Access.READ_WRITE_ATOMIC);
    }

    /** A window of Linux is open until one of our messages invalidates it. */
    private void window() {
        lines.tell("window " + DATA + " " + WINDOW_BYTES);
        String said = lines.hear();
        int key = Integer.parseUnsignedInt(said.substring("key ".length()), 16);
        RoceSegment part = new RoceSegment(home.peer().gid(), key, home.peer().va() + DATA, WINDOW_BYTES);
        try (RemoteSegment window = home.imported(part, Access.READ_WRITE)) {
            Pattern.fill(bytes(), DATA, WINDOW_BYTES, 7);
            posted(jfs().write(window, SURROUNDINGS, local, DATA, 1000, 0));
            posted(jfs().send(Opcode.SEND_INVALIDATE, null, local, DATA, 20, key, 1, PostFlags.DEFAULT));
            ended(2, CompletionStatus.SUCCESS, "WRITE to a window and SEND_INVALIDATE of it");
            lines.ask("message invalidated 20 " + Integer.toUnsignedLong(key) + " 7");
            lines.ask("check " + (DATA + SURROUNDINGS) + " 1000 7");
            posted(jfs().write(window, SURROUNDINGS, local, DATA, 1000, 2));
            refused("WRITE to a window that was shut");
        }
        lines.ask("check " + (DATA + SURROUNDINGS) + " 0 0");
        remote.close();
    }
}

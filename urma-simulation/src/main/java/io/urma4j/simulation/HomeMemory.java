package io.urma4j.simulation;

import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.device.Card;
import io.urma4j.udma.ring.WorkOpcode;
import io.urma4j.udma.ring.WorkStatus;
import io.urma4j.udma.transport.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory that peers may access: guards that no operation may change, words for atomics, bytes to be read, and
 * ranges to be written. Each of these ranges belongs to one operation, with a gap behind it.
 */
final class HomeMemory {
    static final int BYTES = 512 << 10;
    static final int READABLE_BYTES = 32 << 10;
    private static final int GUARD = 256;
    private static final int WORDS = GUARD;
    private static final int WORD_BYTES = 16; // a gap behind each
    private static final int READABLE = 4096;
    private static final int[] ATOMICS = {
        WorkOpcode.CAS,
        WorkOpcode.SWAP,
        WorkOpcode.FADD,
        WorkOpcode.FSUB,
        WorkOpcode.FAND,
        WorkOpcode.FOR,
        WorkOpcode.FXOR
    };

    final MemorySegment memory = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);
    final int readablePattern;
    final List<Word> words = new ArrayList<>();
    final List<Window> windows = new ArrayList<>();
    private final List<Operation> written = new ArrayList<>();
    private final long vaBase;
    private final int key;
    private long free = READABLE + READABLE_BYTES + GUARD;

    HomeMemory(Card card, long vaBase, int readablePattern) {
        this.vaBase = vaBase;
        this.readablePattern = readablePattern;
        Pattern.fill(memory, READABLE, READABLE_BYTES, readablePattern);
        key = card.registerKey(new KeyConfig(
                memory.asSlice(GUARD, BYTES - 2 * GUARD),
                vaBase + GUARD,
                Memory.READ | Memory.WRITE | Memory.ATOMIC,
                0,
                0,
                0));
        if (key == 0) {
            throw new Violation("a new card has no key to give");
        }
    }

    void makeWords(Life life) {
        long at = WORDS;
        for (int opcode : ATOMICS) {
            for (int size : new int[] {Integer.BYTES, Long.BYTES}) {
                words.add(new Word(life, opcode, size, at));
                at += WORD_BYTES;
            }
        }
    }

    /** The words for atomics that RoCE has, too. */
    List<Word> wordsForAll() {
        return words.stream()
                .filter(word -> word.sizeBytes == Long.BYTES
                        && (word.opcode == WorkOpcode.CAS || word.opcode == WorkOpcode.FADD))
                .toList();
    }

    int key() {
        return key;
    }

    long va(long offset) {
        return vaBase + offset;
    }

    long readableAt(long from) {
        return READABLE + from;
    }

    /** The first address that no key covers. */
    long vaBehind() {
        return vaBase + BYTES - GUARD;
    }

    /** A range for one operation; −1 when there is no room. */
    long allocate(int lengthBytes, int alignment) {
        long at = (free + alignment - 1) / alignment * alignment;
        if (at + lengthBytes + GUARD > BYTES) {
            return -1;
        }
        free = at + lengthBytes + 8;
        return at;
    }

    void isWrittenBy(Operation operation) {
        written.add(operation);
    }

    /** Fetches bytes, as a copy engine does. */
    void copyTo(long va, byte[] to) {
        MemorySegment.copy(memory, va - vaBase, MemorySegment.ofArray(to), 0, to.length);
    }

    /** Adds what can have changed to a digest. */
    void addTo(Digest digest) {
        digest.add(memory, (free + Long.BYTES) / Long.BYTES * Long.BYTES);
    }

    // ---- invariants

    /** The checks that are cheap enough for each step. */
    void checkBorders(Life life) {
        checkUntouched(life, 0, GUARD, "before the key's range");
        checkUntouched(life, BYTES - GUARD, GUARD, "behind the key's range");
        for (Window window : windows) {
            window.check();
        }
    }

    /** All checks, at the end of a run. */
    void checkAll(Life life) {
        checkBorders(life);
        long wrong = Pattern.mismatch(memory, READABLE, READABLE_BYTES, readablePattern);
        if (wrong >= 0) {
            throw Violation.of("%s: byte %d of what is only read has changed", life, wrong);
        }
        for (Operation one : written) {
            checkUntouched(life, one.homeOffset + one.lengthBytes, gapBehind(one), "behind the range of " + one);
            checkRange(life, one);
        }
        words.forEach(Word::check);
    }

    private static long gapBehind(Operation one) {
        return one.window == null ? 8 : 0;
    }

    private void checkRange(Life life, Operation one) {
        if (one.forbidden) {
            checkUntouched(life, one.homeOffset, one.lengthBytes, "by what is forbidden: " + one);
        }
        if (one.window != null && one.window.revoked || one.queue.life.isDead || one.forbidden) {
            return;
        }
        if (one.status == WorkStatus.SUCCESS) {
            long wrong = Pattern.mismatch(memory, one.homeOffset, one.lengthBytes, Pattern.CLOSED);
            if (wrong >= 0) {
                throw Violation.of(
                        "%s: byte %d of the range of %s was written again after it had ended", life, wrong, one);
            }
        } else if (!one.isUncertain()) {
            checkUntouched(life, one.homeOffset, one.lengthBytes, "in the range of what was never started: " + one);
        }
    }

    private void checkUntouched(Life life, long offset, long lengthBytes, String where) {
        long wrong = Pattern.mismatch(memory, offset, lengthBytes, Pattern.UNTOUCHED);
        if (wrong >= 0) {
            throw Violation.of("%s: byte %d of its memory was touched, %s", life, offset + wrong, where);
        }
    }
}

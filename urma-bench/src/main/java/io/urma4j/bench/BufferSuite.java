package io.urma4j.bench;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.bench.Limit.AtLeast;
import io.urma4j.bench.Limit.AtMost;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.RdmaBuf;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/** Views of registered buffers beside bare memory. */
final class BufferSuite {
    private static final int BYTES = 1 << 12;
    private static final int GETS = 64 * 1024;
    private static final int COPIES = 4 * 1024;

    private final Numbers.Run run;

    BufferSuite(Numbers.Run run) {
        this.run = run;
    }

    void measure() throws Exception {
        if (!run.wantsSomeOf("buffer-")) {
            return;
        }
        try (Urma urma = Urma.open();
                UrmaContext context = urma.device("shm0").openContext();
                RdmaBuf buf = RdmaBuf.allocate(context, BYTES);
                Arena arena = Arena.ofShared()) {
            MemorySegment bare = arena.allocate(BYTES, BYTES);
            Pinned.run(0, () -> measure(buf.view(), bare));
        }
    }

    private void measure(BufView view, MemorySegment bare) {
        if (run.wants("buffer-get")) {
            run.tell(Figure.ratio(
                    "buffer-get",
                    "8 bytes by a view; a bare load and a load with acquire",
                    run.alternation()
                            .measure(Timed.of(viewGets(view), GETS), Timed.of(bareGets(bare, new AtomicLong()), GETS)),
                    new AtMost(1.1)));
        }
        if (run.wants("buffer-copy")) {
            MemorySegment heap = MemorySegment.ofArray(new byte[BYTES]);
            run.tell(Figure.speed(
                    "buffer-copy",
                    "copy 4 KiB out of segment(); out of a bare segment",
                    run.alternation()
                            .measure(
                                    Timed.of(viewCopies(view, heap), COPIES), Timed.of(bareCopies(bare, heap), COPIES)),
                    new AtLeast(0.98)));
        }
    }

    private static Loop viewGets(BufView view) {
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                sum += view.getLong((i & 511) * 8L);
            }
            return sum;
        };
    }

    private static Loop bareGets(MemorySegment bare, AtomicLong state) {
        return operations -> {
            long sum = 0;
            for (int i = 0; i < operations; i++) {
                sum += bare.get(JAVA_LONG_UNALIGNED, (i & 511) * 8L) + state.getAcquire();
            }
            return sum;
        };
    }

    private static Loop viewCopies(BufView view, MemorySegment heap) {
        return operations -> {
            for (int i = 0; i < operations; i++) {
                MemorySegment.copy(view.segment(), 0, heap, 0, BYTES);
            }
            return heap.get(JAVA_LONG_UNALIGNED, 8);
        };
    }

    private static Loop bareCopies(MemorySegment bare, MemorySegment heap) {
        return operations -> {
            for (int i = 0; i < operations; i++) {
                MemorySegment.copy(bare, 0, heap, 0, BYTES);
            }
            return heap.get(JAVA_LONG_UNALIGNED, 8);
        };
    }
}

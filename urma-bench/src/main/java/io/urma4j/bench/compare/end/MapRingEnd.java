package io.urma4j.bench.compare.end;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.bench.compare.Task;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * A hand-written minimum: two rings in a file that both processes map. It checks no limits beyond those of the JVM,
 * does not detect the death of the other process, and trusts every process that can open the file.
 */
public final class MapRingEnd implements Participant {
    private final Path folder = Path.of(System.getProperty("urma.folder"));

    @Override
    public String version() {
        return "of this source tree, JDK " + Runtime.version();
    }

    /** Makes the file. */
    @Override
    public String address(Task task) throws IOException {
        return Files.createTempFile(folder, "ring", "").toString();
    }

    @Override
    public Serving serve(Task task, String leaderAddress) throws IOException {
        Arena arena = Arena.ofShared();
        Ring ring = new Ring(map(leaderAddress, task, arena), task.bytes(), false);
        return new Serving() {
            @Override
            public String address() {
                return leaderAddress;
            }

            @Override
            public void run(BooleanSupplier told) {
                try (arena) {
                    new MessageLoops(ring).serve(task, told);
                }
            }
        };
    }

    @Override
    public Tally lead(Task task, long nanos, String homeAddress) throws IOException {
        try (Arena arena = Arena.ofShared()) {
            return new MessageLoops(new Ring(map(homeAddress, task, arena), task.bytes(), true)).lead(task, nanos);
        } finally {
            Files.delete(Path.of(homeAddress));
        }
    }

    private static MemorySegment map(String file, Task task, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment memory =
                    channel.map(FileChannel.MapMode.READ_WRITE, 0, 2 * Ring.lengthBytes(task.bytes()), arena);
            for (long page = 0; page < memory.byteSize(); page += 4096) {
                JAVA_LONG.varHandle().getAndAdd(memory, page, 0L); // there before anything is measured
            }
            return memory;
        }
    }

    /** Slots of a word, which is the turn when full, and the message; a copy in and a copy out. */
    private static final class Ring implements Link {
        private static final VarHandle U64 = JAVA_LONG.varHandle();
        private static final long HEADER_BYTES = 128; // how far the receiver is
        private static final int LEAST_BYTES = 256 << 10;
        private static final int POLLS = 64;

        private final MemorySegment out;
        private final MemorySegment in;
        private final MemorySegment message;
        private final long bytes;
        private final long stride;
        private final long slots;
        private long sent;
        private long knownTaken;
        private long received;

        Ring(MemorySegment both, int bytes, boolean leads) {
            long length = lengthBytes(bytes);
            this.bytes = bytes;
            this.stride = stride(bytes);
            this.slots = slots(bytes);
            this.out = both.asSlice(leads ? 0 : length, length);
            this.in = both.asSlice(leads ? length : 0, length);
            this.message = Arena.ofAuto().allocate(bytes, 64);
        }

        private static long stride(int bytes) {
            return (bytes + Long.BYTES + 63L) & -64L;
        }

        private static long slots(int bytes) {
            return Math.max(4, LEAST_BYTES / stride(bytes));
        }

        static long lengthBytes(int bytes) {
            return (HEADER_BYTES + stride(bytes) * slots(bytes) + 4095) & -4096L;
        }

        @Override
        public boolean offer(long number) {
            if (sent - knownTaken == slots) {
                knownTaken = (long) U64.getAcquire(out, 0L);
                if (sent - knownTaken == slots) {
                    return false;
                }
            }
            long slot = HEADER_BYTES + sent % slots * stride;
            message.set(JAVA_LONG, 0, number);
            MemorySegment.copy(message, 0, out, slot + Long.BYTES, bytes);
            U64.setRelease(out, slot, ++sent);
            return true;
        }

        @Override
        public int poll(LongConsumer arrived) {
            int count = 0;
            while (count < POLLS) {
                long slot = HEADER_BYTES + received % slots * stride;
                if ((long) U64.getAcquire(in, slot) != received + 1) {
                    break;
                }
                MemorySegment.copy(in, slot + Long.BYTES, message, 0, bytes);
                received++;
                count++;
                if (received % (slots / 4) == 0) {
                    U64.setRelease(in, 0L, received);
                }
                arrived.accept(message.get(JAVA_LONG, 0));
            }
            return count;
        }
    }
}

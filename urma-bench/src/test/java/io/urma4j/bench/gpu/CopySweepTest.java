package io.urma4j.bench.gpu;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.npu.NpuConfig;
import io.urma4j.npu.SimulatedNpus;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The sweep on a simulated device: a correct engine passes, and each kind of wrong byte is found. */
@Timeout(120)
class CopySweepTest {
    private static final List<Integer> LENGTHS = List.of(1, 17, 4099);

    private static CopySweep sweep(UnaryOperator<CopyStream> changed) {
        SimulatedNpus npus = new SimulatedNpus(NpuConfig.DEFAULT);
        try (Arena arena = Arena.ofShared();
                CopyStream stream = npus.engine(0).openStream()) {
            long address = npus.allocate(0, CopySweep.neededBytes());
            CopySweep sweep =
                    new CopySweep(changed.apply(stream), address, arena.allocate(CopySweep.neededBytes(), 4096));
            sweep.run(LENGTHS);
            return sweep;
        } finally {
            npus.close();
        }
    }

    /** A stream that does most as another does. */
    private static class Changed implements CopyStream {
        final CopyStream stream;

        Changed(CopyStream stream) {
            this.stream = stream;
        }

        @Override
        public void copyIn(long address, MemorySegment source, Copy copy) {
            stream.copyIn(address, source, copy);
        }

        @Override
        public void copyOut(long address, MemorySegment target, Copy copy) {
            stream.copyOut(address, target, copy);
        }

        @Override
        public void copyWithin(long from, long to, long lengthBytes, Copy copy) {
            stream.copyWithin(from, to, lengthBytes, copy);
        }

        @Override
        public void fill(long address, long lengthBytes, byte value, Copy copy) {
            stream.fill(address, lengthBytes, value, copy);
        }

        @Override
        public void abort(Copy copy) {
            stream.abort(copy);
        }

        @Override
        public void close() {}
    }

    @Test
    void anEngineThatMovesEachBytePasses() {
        CopySweep sweep = sweep(stream -> stream);

        assertThat(sweep.failures()).isEmpty();
        assertThat(sweep.failed()).isZero();
        assertThat(sweep.roundTrips()).isEqualTo(3 * 49);
    }

    @Test
    void aLostByteIsFoundByTheCrc() {
        CopySweep sweep = sweep(stream -> new Changed(stream) {
            @Override
            public void copyIn(long address, MemorySegment source, Copy copy) {
                super.copyIn(address, source.asSlice(0, Math.min(4098, source.byteSize())), copy);
            }
        });

        assertThat(sweep.failed()).isEqualTo(49);
        assertThat(sweep.failures())
                .hasSize(20)
                .first()
                .asString()
                .startsWith("4099 bytes, offsets 0 in the source, 0 on the device, 0 in the target: ")
                .endsWith("another CRC, from byte 4098 on");
    }

    @Test
    void aByteTooManyOnTheDeviceIsFound() {
        CopySweep sweep = sweep(stream -> new Changed(stream) {
            private final Copy second = new Copy();

            @Override
            public void copyIn(long address, MemorySegment source, Copy copy) {
                super.fill(address + source.byteSize(), 1, (byte) 0, second);
                super.copyIn(address, source, copy);
            }
        });

        assertThat(sweep.failed()).isEqualTo(sweep.roundTrips());
        assertThat(sweep.failures()).allMatch(failure -> failure.endsWith("range of the device have changed"));
    }

    @Test
    void aByteTooManyOnTheHostIsFound() {
        CopySweep sweep = sweep(stream -> new Changed(stream) {
            @Override
            @SuppressWarnings("restricted") // beyond its target, as a wrong engine writes
            public void copyOut(long address, MemorySegment target, Copy copy) {
                MemorySegment.ofAddress(target.address() + target.byteSize())
                        .reinterpret(1)
                        .fill((byte) 0);
                super.copyOut(address, target, copy);
            }
        });

        assertThat(sweep.failed()).isEqualTo(sweep.roundTrips());
        assertThat(sweep.failures()).allMatch(failure -> failure.endsWith("range of the host have changed"));
    }

    @Test
    void lengthsAreThoseAroundTheStepsOfCopyEngines() {
        assertThat(CopySweep.LENGTHS)
                .hasSize(17 + 6 * 4)
                .contains(1, 17, 63, 64, 4097, (512 << 10) - 1, (512 << 10) + 3, (4 << 20) + 3)
                .allMatch(length -> length >= 1 && length <= (4 << 20) + 3);
    }
}

package io.urma4j.shm.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.AllocOptions;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.LibcException;
import io.urma4j.libc.MemFd;
import io.urma4j.libc.MemFd.Seal;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShmMemoryTest {

    private static ShmMemory allocate(long lengthBytes) {
        return ShmMemory.allocate(lengthBytes, AllocOptions.DEFAULT, "test");
    }

    /** S7.2. */
    @Test
    void isZeroedPageAlignedAndAsLongAsAsked() {
        try (ShmMemory memory = allocate(5000)) {
            assertThat(memory.segment().byteSize()).isEqualTo(5000);
            assertThat(memory.segment().address() % 4096).isZero();
            assertThat(memory.segment().toArray(JAVA_BYTE)).containsOnly(0);
            assertThat(memory.report().steps()).isEmpty();
        }
    }

    @Test
    void canNeitherShrinkNorGrowFromBirthOn() {
        try (ShmMemory memory = allocate(8192)) {
            assertThat(MemFd.seals(memory.fd())).contains(Seal.SHRINK, Seal.GROW);
            assertThatThrownBy(() -> MemFd.resize(memory.fd(), 4096)).isInstanceOf(LibcException.class);
        }
    }

    @Test
    void moreThanTheMachineHasIsRefusedWithWhatIsNeededAndWhatIsFree() {
        assertThatThrownBy(() -> allocate(1L << 50))
                .isInstanceOfSatisfying(
                        UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.ENOMEM))
                .hasMessageContaining("needs " + (1L << 50) + " bytes")
                .hasMessageContaining("leaves");
    }

    @Test
    void nothingAndLessIsRefused() {
        for (long length : List.of(0L, -1L, Long.MAX_VALUE)) {
            assertThatThrownBy(() -> allocate(length))
                    .isInstanceOfSatisfying(
                            UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.EINVAL));
        }
    }

    /** S7.2: each step down is reported; the memory works on any machine. */
    @Test
    void hugePagesAreGivenOrTheStepDownIsReported() {
        var options = AllocOptions.DEFAULT.withHugePages().withReserve();
        try (ShmMemory memory = ShmMemory.allocate(3 << 20, options, "huge")) {
            memory.segment().set(JAVA_LONG, (3 << 20) - 8, 7);
            var mapping = ImportedMapping.map(memory.shareReadOnly(), 0, 3 << 20, false);
            assertThat(mapping.segment().get(JAVA_LONG, (3 << 20) - 8)).isEqualTo(7);
            assertThat(mapping.revoke()).isTrue();
            assertThat(memory.report().pageBytes() > 4096
                            || !memory.report().steps().isEmpty())
                    .as("%s", memory.report())
                    .isTrue();
        }
    }

    @Test
    void theCloserTouchesNothingAnyMore() {
        ShmMemory memory = allocate(4096);
        memory.close();
        memory.close();

        assertThatThrownBy(() -> memory.segment().get(JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void anImportSeesTheSameBytes() {
        try (ShmMemory memory = allocate(4096)) {
            var mapping = ImportedMapping.map(memory.shareWritable(), 0, 4096, true);
            mapping.segment().set(JAVA_LONG, 8, 42);

            assertThat(memory.segment().get(JAVA_LONG, 8)).isEqualTo(42);
            assertThat(mapping.revoke()).isTrue();
            assertThat(mapping.isDead()).isTrue();
            assertThatThrownBy(() -> mapping.segment().get(JAVA_LONG, 8)).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void readersOfMemoryThatNobodySharesForWritingAreHeldByTheKernel() {
        try (ShmMemory memory = allocate(4096)) {
            var readOnly = memory.shareReadOnly();

            assertThat(MemFd.seals(memory.fd())).contains(Seal.FUTURE_WRITE, Seal.SEAL);
            assertThatThrownBy(() -> ImportedMapping.map(memory.fd(), 0, 4096, true))
                    .isInstanceOfSatisfying(
                            UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.ENOPERM));
            var mapping = ImportedMapping.map(readOnly, 0, 4096, false);
            memory.segment().set(JAVA_BYTE, 0, (byte) 9);
            assertThat(mapping.segment().get(JAVA_BYTE, 0)).isEqualTo((byte) 9);
            assertThatThrownBy(() -> mapping.segment().set(JAVA_BYTE, 0, (byte) 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> memory.addUser("late", true, false)).hasMessageContaining("sealed");
            mapping.revoke();
        }
    }

    @Test
    void readersOfWritableMemoryGetADescriptorThatCannotWrite() {
        try (ShmMemory memory = allocate(4096)) {
            memory.addUser("a peer", true, false);
            var readOnly = memory.shareReadOnly();

            assertThatThrownBy(() -> ImportedMapping.map(readOnly, 0, 4096, true))
                    .isInstanceOf(UrmaException.class);
            var mapping = ImportedMapping.map(memory.shareWritable(), 0, 4096, true);
            mapping.revoke();
        }
    }

    /** It can open the memory anew for writing, and a seal of its own would refuse all later writers. */
    @Test
    void aReaderOfWritableMemoryCanAddNoSeal() {
        try (var memory = ShmMemory.allocate(4096, AllocOptions.DEFAULT, "test")) {
            memory.addUser("a peer", true, false);
            memory.shareReadOnly();

            assertThatThrownBy(() -> MemFd.addSeals(memory.fd(), Seal.FUTURE_WRITE))
                    .hasMessageContaining("EPERM");

            ImportedMapping writer = ImportedMapping.map(memory.shareWritable(), 0, 4096, true);
            assertThat(writer.tryRevoke()).isTrue();
        }
    }

    /** S7.7: a reader may have opened it for writing meanwhile, which no seal undoes. */
    @Test
    void memoryThatWasReadWhileItCouldBeWrittenIsRefusedToAnIsolatedReaderForThatReason() {
        try (ShmMemory memory = allocate(4096)) {
            memory.addUser("a writable segment", true, false);
            memory.shareReadOnly();
            memory.removeUser("a writable segment");

            assertThatThrownBy(() -> memory.addUser("isolated", false, true))
                    .isInstanceOfSatisfying(
                            UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.EINVAL))
                    .hasMessageContaining("was imported while a segment of it could be written");
        }
    }

    /** Nothing was shared then, so the seal is as good as for new memory. */
    @Test
    void memoryThatCouldBeWrittenAndWasNotImportedMayBeIsolatedForReaders() {
        try (ShmMemory memory = allocate(4096)) {
            memory.addUser("a writable segment", true, false);
            memory.removeUser("a writable segment");

            memory.addUser("isolated", false, true);

            assertThat(MemFd.seals(memory.fd())).contains(Seal.FUTURE_WRITE);
        }
    }

    @Test
    void whatCanShrinkIsNotMapped() {
        try (var unsealed = MemFd.create("unsealed", 4096)) {
            assertThatThrownBy(() -> ImportedMapping.map(unsealed, 0, 4096, true))
                    .hasMessageContaining("needs SHRINK and GROW");
            MemFd.addSeals(unsealed, Seal.GROW);
            assertThatThrownBy(() -> ImportedMapping.map(unsealed, 0, 4096, true))
                    .hasMessageContaining("needs SHRINK and GROW");
        }
    }

    @Test
    void whatIsTooSmallIsNotMapped() {
        try (ShmMemory memory = allocate(4096)) {
            for (long[] range : new long[][] {{0, 4097}, {4096, 1}, {-1, 8}, {0, 0}, {1, Long.MAX_VALUE}}) {
                assertThatThrownBy(() -> ImportedMapping.map(memory.fd(), range[0], range[1], true))
                        .hasMessageContaining("lies outside");
            }
        }
    }

    @Test
    void quarantinedMemoryIsNotRegisteredAnew() {
        try (ShmMemory memory = allocate(4096)) {
            memory.quarantine().add(this, List.of("uasid 7"));
            assertThatThrownBy(() -> memory.quarantine().check(memory)).hasMessageContaining("uasid 7");
            memory.quarantine().end(this);
            memory.quarantine().check(memory);
        }
    }
}

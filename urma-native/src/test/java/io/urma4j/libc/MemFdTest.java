package io.urma4j.libc;

import static io.urma4j.libc.Mapping.Protection.READ;
import static io.urma4j.libc.Mapping.Protection.READ_WRITE;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.urma4j.libc.MemFd.Seal;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class MemFdTest {
    private static final long SIZE_BYTES = 64 * 1024;

    @Test
    void newOneHasItsSizeAndNoSealThatHinders() {
        try (Fd fd = MemFd.create("urma:new", SIZE_BYTES)) {
            assertThat(MemFd.sizeBytes(fd)).isEqualTo(SIZE_BYTES);
            assertThat(MemFd.seals(fd)).isSubsetOf(Seal.EXEC);
        }
    }

    @Test
    void sealsForbidShrinkingAndGrowing() {
        try (Fd fd = MemFd.create("urma:sealed", SIZE_BYTES)) {
            MemFd.addSeals(fd, Seal.SHRINK, Seal.GROW);

            assertThat(MemFd.seals(fd)).contains(Seal.SHRINK, Seal.GROW);
            assertThat(errnoOf(() -> MemFd.resize(fd, SIZE_BYTES / 2))).isEqualTo(Errno.EPERM);
            assertThat(errnoOf(() -> MemFd.resize(fd, SIZE_BYTES * 2))).isEqualTo(Errno.EPERM);
            assertThat(MemFd.sizeBytes(fd)).isEqualTo(SIZE_BYTES);
        }
    }

    @Test
    void futureWriteSealRefusesNewWritersAndKeepsTheOldOne() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = MemFd.create("urma:read", SIZE_BYTES)) {
            MemorySegment writer = Mapping.map(fd, 0, SIZE_BYTES, READ_WRITE, arena);
            MemFd.addSeals(fd, Seal.FUTURE_WRITE);

            assertThat(errnoOf(() -> Mapping.map(fd, 0, SIZE_BYTES, READ_WRITE, arena)))
                    .isEqualTo(Errno.EPERM);
            MemorySegment reader = Mapping.map(fd, 0, SIZE_BYTES, READ, arena);
            writer.set(JAVA_LONG, 4096, 42);

            assertThat(reader.get(JAVA_LONG, 4096)).isEqualTo(42);
        }
    }

    @Test
    void writeSealIsRefusedWhileAWritableMappingExists() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = MemFd.create("urma:busy", SIZE_BYTES)) {
            Mapping.map(fd, 0, SIZE_BYTES, READ_WRITE, arena);

            assertThat(errnoOf(() -> MemFd.addSeals(fd, Seal.WRITE))).isEqualTo(Errno.EBUSY);
        }
    }

    @Test
    void sealedSealsRefuseMore() {
        try (Fd fd = MemFd.create("urma:final", SIZE_BYTES)) {
            MemFd.addSeals(fd, Seal.SEAL);

            assertThat(errnoOf(() -> MemFd.addSeals(fd, Seal.GROW))).isEqualTo(Errno.EPERM);
        }
    }

    @Test
    void descriptorThatCannotHaveSealsSaysSo() {
        try (EventFd notMemory = EventFd.create()) {
            assertThat(errnoOf(() -> MemFd.seals(notMemory.fd()))).isEqualTo(Errno.EINVAL);
        }
    }

    @Test
    void reservedRangeHoldsZerosAndWrites() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = MemFd.create("urma:reserved", SIZE_BYTES)) {
            MemFd.reserve(fd, 0, SIZE_BYTES);
            MemorySegment memory = Mapping.map(fd, 0, SIZE_BYTES, READ_WRITE, arena);

            assertThat(memory.toArray(JAVA_BYTE)).containsOnly(0);
        }
    }

    @Test
    void reserveBeyondTheSealedSizeIsRefused() {
        try (Fd fd = MemFd.create("urma:full", SIZE_BYTES)) {
            MemFd.addSeals(fd, Seal.GROW);

            assertThat(errnoOf(() -> MemFd.reserve(fd, 0, SIZE_BYTES + 1))).isEqualTo(Errno.EPERM);
        }
    }

    @Test
    void impossibleSizeLeavesNoDescriptor() throws Exception {
        assertThat(errnoOf(() -> MemFd.create("urma:negative", -1))).isEqualTo(Errno.EINVAL);

        assertThat(OpenFiles.count("urma:negative")).isZero();
    }

    @Test
    void hugePageSizeMustBeAPowerOfTwo() {
        assertThatThrownBy(() -> MemFd.createHuge("urma:huge", SIZE_BYTES, 3000))
                .hasMessage("page size 3000 is not a power of two");
    }

    /** The pool may be empty: then the kernel makes the file, and refuses its pages with a reason. */
    @Test
    void hugePagesComeFromThePoolOrAreRefusedWithAReason() {
        long twoMegabytes = 2 << 20;
        try (Fd fd = MemFd.createHuge("urma:huge", twoMegabytes, twoMegabytes)) {
            assertThat(MemFd.sizeBytes(fd)).isEqualTo(twoMegabytes);
            MemFd.reserve(fd, 0, twoMegabytes);
        } catch (LibcException e) {
            assertThat(e.errno()).isIn(Errno.ENOMEM, Errno.ENOSPC, Errno.ENODEV, Errno.ENOSYS, Errno.ENOENT);
        }
    }

    private static int errnoOf(ThrowingCallable call) {
        return catchThrowableOfType(LibcException.class, call).errno();
    }
}

package io.urma4j.libc;

import static io.urma4j.libc.Mapping.Protection.READ;
import static io.urma4j.libc.Mapping.Protection.READ_WRITE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.urma4j.libc.Mapping.Advice;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MappingTest {
    private static final long PAGE_BYTES = Mapping.pageSizeBytes();

    @Test
    void twoMappingsOfOneFileAreOneMemory() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = MemFd.create("urma:twice", 2 * PAGE_BYTES)) {
            MemorySegment whole = Mapping.map(fd, 0, 2 * PAGE_BYTES, READ_WRITE, arena);
            MemorySegment second = Mapping.map(fd, PAGE_BYTES, PAGE_BYTES, READ_WRITE, arena);

            whole.set(JAVA_LONG, PAGE_BYTES + 8, 7);

            assertThat(second.get(JAVA_LONG, 8)).isEqualTo(7);
        }
    }

    @Test
    void closingTheArenaUnmaps() throws Exception {
        MemorySegment memory;
        try (Arena arena = Arena.ofShared();
                Fd fd = MemFd.create("urma:unmapped", PAGE_BYTES)) {
            memory = Mapping.map(fd, 0, PAGE_BYTES, READ_WRITE, arena);
            assertThat(OpenFiles.mappings("urma:unmapped")).hasSize(1);
        }

        assertThat(OpenFiles.mappings("urma:unmapped")).isEmpty();
        assertThatThrownBy(() -> memory.get(JAVA_LONG, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void mappingOutlivesItsDescriptor() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory;
            try (Fd fd = MemFd.create("urma:outlived", PAGE_BYTES)) {
                memory = Mapping.map(fd, 0, PAGE_BYTES, READ_WRITE, arena);
            }
            memory.set(JAVA_LONG, 0, 5);

            assertThat(memory.get(JAVA_LONG, 0)).isEqualTo(5);
        }
    }

    @Test
    void closedArenaGetsNoMapping() throws Exception {
        Arena arena = Arena.ofConfined();
        arena.close();
        try (Fd fd = MemFd.create("urma:too-late", PAGE_BYTES)) {
            assertThatThrownBy(() -> Mapping.map(fd, 0, PAGE_BYTES, READ_WRITE, arena))
                    .isInstanceOf(IllegalStateException.class);
        }
        assertThat(OpenFiles.mappings("urma:too-late")).isEmpty();
    }

    @Test
    void deadMemoryFailsEverywhereAndFromAnyThread() throws Exception {
        MemorySegment dead = Mapping.dead();
        for (long offset : new long[] {0, 8, 1L << 40, Long.MAX_VALUE - 15}) {
            assertThatThrownBy(() -> dead.get(JAVA_LONG, offset)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> dead.set(JAVA_LONG, offset, 1)).isInstanceOf(IllegalStateException.class);
        }
        assertThatThrownBy(() -> MemorySegment.copy(dead, 0, MemorySegment.ofArray(new byte[8]), 0, 8))
                .isInstanceOf(IllegalStateException.class);
        var failure = new java.util.concurrent.atomic.AtomicReference<Throwable>();
        Thread.ofPlatform()
                .start(() -> {
                    try {
                        dead.fill((byte) 1);
                    } catch (IllegalStateException e) {
                        failure.set(e);
                    }
                })
                .join();
        assertThat(failure.get()).isNotNull();
    }

    @Test
    void readMappingRefusesStoresInJava() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = MemFd.create("urma:read-only", PAGE_BYTES)) {
            MemorySegment memory = Mapping.map(fd, 0, PAGE_BYTES, READ, arena);

            assertThat(memory.isReadOnly()).isTrue();
            assertThatThrownBy(() -> memory.set(JAVA_LONG, 0, 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void failureTellsCallArgumentsAndErrno() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = MemFd.create("urma:message", PAGE_BYTES)) {
            assertThatThrownBy(() -> Mapping.map(fd, 1, PAGE_BYTES, READ_WRITE, arena))
                    .isInstanceOf(LibcException.class)
                    .hasMessage(
                            "mmap(fd %d (memfd urma:message), offset=1, lengthBytes=%d, protection=READ_WRITE)"
                                    + " failed: EINVAL (22): Invalid argument",
                            fd.number(), PAGE_BYTES);
        }
    }

    @Test
    void takenAddressIsRefused() {
        try (Arena arena = Arena.ofConfined();
                Fd fd = MemFd.create("urma:fixed", PAGE_BYTES)) {
            MemorySegment taken = Mapping.map(fd, 0, PAGE_BYTES, READ_WRITE, arena);

            var refusal = catchThrowableOfType(
                    LibcException.class, () -> Mapping.mapAt(taken.address(), fd, 0, PAGE_BYTES, READ_WRITE, arena));

            assertThat(refusal.errno()).isEqualTo(Errno.EEXIST);
        }
    }

    @Test
    void freeAddressIsTaken() {
        long address;
        try (Arena arena = Arena.ofConfined()) {
            address = Mapping.anonymous(16 * PAGE_BYTES, arena).address() + 8 * PAGE_BYTES;
        }
        try (Arena arena = Arena.ofConfined();
                Fd fd = MemFd.create("urma:placed", PAGE_BYTES)) {
            assertThat(Mapping.mapAt(address, fd, 0, PAGE_BYTES, READ_WRITE, arena)
                            .address())
                    .isEqualTo(address);
        }
    }

    @Test
    void anonymousMemoryIsZeroAndTakesAdvice() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = Mapping.anonymous(4 * PAGE_BYTES, arena);
            Mapping.advise(memory, Advice.POPULATE_WRITE);
            memory.set(JAVA_LONG, 0, 9);

            Mapping.advise(memory, Advice.DONT_NEED);

            assertThat(memory.get(JAVA_LONG, 0)).isZero();
        }
    }

    @Test
    void lockedMemoryIsCounted() throws Exception {
        try (Arena arena = Arena.ofConfined()) {
            Mapping.lock(Mapping.anonymous(PAGE_BYTES, arena));

            assertThat(Files.readString(Path.of("/proc/self/status"))).containsPattern("VmLck:\\s+[1-9]");
        }
    }

    @Test
    void adviceBesidePagesIsRefused() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = Mapping.anonymous(PAGE_BYTES, arena);

            assertThatThrownBy(() -> Mapping.advise(memory.asSlice(8), Advice.DONT_FORK))
                    .hasMessageStartingWith("madvise(address=0x")
                    .hasMessageContaining("DONT_FORK) failed: EINVAL");
        }
    }
}

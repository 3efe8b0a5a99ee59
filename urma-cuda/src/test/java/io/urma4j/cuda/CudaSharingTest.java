package io.urma4j.cuda;

import static io.urma4j.cuda.CudaFixture.active;
import static io.urma4j.cuda.CudaFixture.assertSame;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.cuda.CudaFixture.Active;
import io.urma4j.peer.Copy;
import io.urma4j.peer.CopyBatch;
import io.urma4j.peer.CopyStream;
import io.urma4j.peer.DeviceMemory;
import io.urma4j.peer.PeerMemory;
import io.urma4j.peer.PeerRegion;
import io.urma4j.peer.PeerShare;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Memory that one process shares and another one opens; a fake driver stands for each process. */
@Timeout(60)
class CudaSharingTest {
    private static final int LENGTH = (2 << 20) + 4097;
    private static final int MAPPED_BYTES = 4 << 20; // the allocation, in whole blocks

    private final CudaFixture home = new CudaFixture(2);
    private final CudaFixture peer = new CudaFixture();

    @AfterEach
    void nothingIsLeft() {
        peer.close();
        home.close();
    }

    private static PeerShare shareOf(DeviceMemory memory) {
        try (PeerRegion region = memory.pin(true, List.of())) {
            return PeerShare.of(region).orElseThrow();
        }
    }

    private static PeerRegion opened(PeerMemory by, byte[] handle) {
        PeerRegion region = by.registry().open(CudaClient.NAME, handle, LENGTH);
        region.activate(new Active(region, new ArrayList<>()));
        return region;
    }

    private static void copy(PeerRegion of, Consumer<Copy> copies) {
        Copy copy = new Copy();
        copies.accept(copy);
        assertThat(copy.await(TimeUnit.SECONDS.toNanos(10)))
                .as("copy of %s", of)
                .isTrue();
        assertThat(copy.failure()).isNull();
    }

    private void assertRefused(byte[] handle, long lengthBytes, String why) {
        assertThatThrownBy(() -> peer.memory.registry().open(CudaClient.NAME, handle, lengthBytes))
                .hasMessageContaining(why)
                .isInstanceOfSatisfying(
                        UrmaException.class, e -> assertThat(e.status()).isEqualTo(UrmaStatus.EINVAL));
        assertThat(peer.driver.leftovers()).noneMatch(left -> left.contains("allocation"));
    }

    @Test
    void bothReachTheSameBytes() {
        try (DeviceMemory memory = home.allocate(LENGTH)) {
            PeerShare share = shareOf(memory);
            try (PeerRegion region = opened(peer.memory, share.handle());
                    CopyStream stream = region.engine().openStream()) {
                MemorySegment bytes = peer.pattern(LENGTH - 9, 2);
                copy(region, copy -> region.copyIn(stream, 5, bytes, copy));
                assertSame(home.read(memory, 5, LENGTH - 9), bytes);

                MemorySegment back = peer.arena.allocate(LENGTH - 9);
                copy(region, copy -> region.copyOut(stream, 5, back, copy));
                assertSame(back, bytes);
            }
        }
    }

    @Test
    void oneCopyReachesOwnAndOpenedMemory() {
        try (DeviceMemory memory = home.allocate(LENGTH);
                DeviceMemory here = peer.allocate(LENGTH)) {
            MemorySegment bytes = peer.pattern(LENGTH, 3);
            here.copyFrom(0, bytes);
            Active own = active(here);
            try (PeerRegion region = opened(peer.memory, shareOf(memory).handle());
                    CopyStream stream = region.engine().openStream()) {
                CopyBatch batch = new CopyBatch(region.engine(), 8);
                batch.begin(own.region(), region);
                for (int at = 0; at < LENGTH; at += LENGTH / 7) {
                    batch.add(at, at, Math.min(LENGTH / 7, LENGTH - at));
                }
                batch.start(stream);
                assertThat(batch.copy().await(TimeUnit.SECONDS.toNanos(20))).isTrue();
                assertThat(batch.copy().failure()).isNull();
            }
            own.region().close();
            assertSame(home.read(memory, 0, LENGTH), bytes);
        }
    }

    /** The driver, as some do, refuses to open a handle twice. */
    @Test
    void aHandleIsOpenedOnceForAllItsUsers() {
        try (DeviceMemory memory = home.allocate(LENGTH)) {
            byte[] handle = shareOf(memory).handle();
            PeerRegion first = opened(peer.memory, handle);
            PeerRegion second = opened(peer.memory, handle);
            assertThat(second.range()).isEqualTo(first.range());
            assertThat(peer.driver.count("cuIpcOpenMemHandle_v2")).isEqualTo(1);
            first.close();
            assertThat(peer.driver.count("cuIpcCloseMemHandle")).isZero();
            second.close();
            assertThat(peer.driver.count("cuIpcCloseMemHandle")).isEqualTo(1);
            opened(peer.memory, handle).close();
            assertThat(peer.driver.count("cuIpcOpenMemHandle_v2")).isEqualTo(2);
        }
    }

    /** The driver opens no handle in the process that made it: another library there has the address. */
    @Test
    void theSameProcessOpensItByItsAddress() {
        DeviceMemory memory = home.allocate(LENGTH);
        try (PeerMemory other = PeerMemory.open(CudaFixture.WITHOUT_DRIVER);
                CudaClient client = new CudaClient(home.driver)) {
            other.add(client);
            byte[] handle = shareOf(memory).handle();
            try (PeerRegion region = opened(other, handle);
                    CopyStream stream = region.engine().openStream()) {
                assertThat(region.range().address()).isEqualTo(memory.address());
                MemorySegment bytes = home.pattern(LENGTH, 4);
                copy(region, copy -> region.copyIn(stream, 0, bytes, copy));
                assertSame(home.read(memory, 0, LENGTH), bytes);
            }
            memory.close();
            assertThatThrownBy(() -> other.registry().open(CudaClient.NAME, handle, LENGTH))
                    .isInstanceOf(UrmaException.class);
        }
    }

    @Test
    void openedMemoryIsNeitherRegisteredNorShared() {
        try (DeviceMemory memory = home.allocate(LENGTH);
                PeerRegion region = opened(peer.memory, shareOf(memory).handle())) {
            long address = region.range().address();
            assertThatThrownBy(() -> peer.memory.wrap(CudaClient.NAME, 0, address, 8))
                    .hasMessageContaining("memory of another process");
            assertThat(PeerShare.of(region)).isEmpty();
            assertThatThrownBy(() -> peer.client.sharing().orElseThrow().share(0, address))
                    .hasMessageContaining("no allocation that can be shared");
            assertThatThrownBy(() -> peer.client.free(0, address)).hasMessageContaining("no allocation begins");
        }
    }

    @Test
    void handlesThatLieAreRefused() {
        try (DeviceMemory memory = home.allocate(LENGTH);
                DeviceMemory second = home.memory.allocate(CudaClient.NAME, 1, LENGTH)) {
            byte[] good = shareOf(memory).handle();
            assertRefused(good, MAPPED_BYTES + 1, "fewer than");
            assertRefused(new byte[] {1, 2, 3}, 1, "has 3 bytes, must have 97…160");

            byte[] longer = good.clone();
            ByteBuffer.wrap(longer).order(ByteOrder.LITTLE_ENDIAN).putLong(24, MAPPED_BYTES + 1L);
            assertRefused(longer, 8, "it has " + MAPPED_BYTES);
            assertRefused(longer, MAPPED_BYTES + 1, "it has " + MAPPED_BYTES);

            byte[] other = good.clone();
            other[32] = 77; // the driver's own part
            assertRefused(other, 8, "cuIpcOpenMemHandle");
            for (int at : new int[] {0, 4, 31}) {
                byte[] changed = good.clone();
                changed[at] ^= (byte) 0x80;
                assertRefused(changed, 8, "a handle ");
            }
            assertRefused(shareOf(second).handle(), 8, "is none of the 1 here");
        }
        assertThat(peer.driver.count("cuIpcOpenMemHandle_v2"))
                .isEqualTo(peer.driver.count("cuIpcCloseMemHandle") + 1); // the driver refused one
    }

    @Test
    void aHandleOfFreedMemoryIsRefused() {
        DeviceMemory memory = home.allocate(LENGTH);
        byte[] handle = shareOf(memory).handle();
        memory.close();

        assertRefused(handle, 8, "cuIpcOpenMemHandle");
    }

    @Test
    void aPeerWhoseDeviceIsLostClosesNothing() {
        try (DeviceMemory memory = home.allocate(LENGTH)) {
            PeerRegion region = opened(peer.memory, shareOf(memory).handle());
            peer.lose(0, CudaCode.ILLEGAL_ADDRESS);
            assertThatThrownBy(() -> peer.allocate(8)).isInstanceOf(UrmaException.class); // notices it
            region.close();
            assertThat(peer.client.pinned(0)).isZero();
        }
    }
}

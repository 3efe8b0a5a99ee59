package io.urma4j.tools;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteMemory;
import io.urma4j.RemoteSegment;
import io.urma4j.Resource;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedMemory;
import io.urma4j.SharedSegment;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaOptions;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.TransferOptions;
import io.urma4j.buffer.Transfers;
import io.urma4j.tck.Patience;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** S7.15: one memory that contexts of shared memory and of the network register, and pools on both. */
@SuppressWarnings("NullAway.Init") // all is opened before each test
class MixedDevicesTest {
    private static final int SIZE = 4096;

    @TempDir
    private Path folder;

    private Urma urma;
    private UrmaContext shm;
    private UrmaContext udma;

    @BeforeEach
    void open() {
        UrmaOptions options =
                UrmaOptions.DEFAULT.withRuntimeDirectory(folder).withSetting("urma.udma.addresses", "127.0.73.9");
        urma = Urma.open(options);
        shm = urma.device("shm0").openContext();
        udma = urma.device("udma0").openContext();
    }

    @AfterEach
    void close() {
        urma.close();
    }

    /** A peer's simple calls, by a context of its own. */
    private RemoteMemory peerOf(UrmaContext home, LocalSegment segment) {
        return home.device().openContext().importMemory(segment.share());
    }

    /** Peers on both devices see the same bytes, in either order of registration. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void peersOfBothDevicesReachTheSameBytes(boolean shmFirst) {
        SharedMemory memory = shm.allocate(SIZE);
        UrmaContext first = shmFirst ? shm : udma;
        UrmaContext second = shmFirst ? udma : shm;
        RemoteMemory one = peerOf(first, first.register(memory, Access.READ_WRITE));
        RemoteMemory other = peerOf(second, second.register(memory, Access.READ_WRITE));

        one.writeLong(8, 41);
        assertThat(other.readLong(8)).isEqualTo(41);
        other.writeLong(16, 42);

        assertThat(one.readLong(16)).isEqualTo(42);
        assertThat(memory.segment().get(JAVA_LONG, 16)).isEqualTo(42);
    }

    /** Other processes could not map memory that the network device allocated. */
    @Test
    void memoryOfTheNetworkIsOnlyLocalOnSharedMemory() {
        SharedMemory memory = udma.allocate(SIZE);

        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> shm.register(memory, Access.READ))
                .withMessageContaining("allocated by another device and can only be LOCAL_ONLY here, not READ")
                .matches(e -> e.status() == UrmaStatus.EINVAL);

        LocalSegment local = shm.register(memory, Access.LOCAL_ONLY);
        LocalSegment remote = shm.register(shm.allocate(SIZE), Access.READ_WRITE);
        memory.segment().set(JAVA_LONG, 0, 7);
        RemoteSegment target = shm.importSegment(SharedSegment.parse(remote.share()));
        try (WriteQueue queue = WriteQueue.open(shm)) {
            queue.write(target, local);
        }
        assertThat(remote.memory().get(JAVA_LONG, 0)).isEqualTo(7);
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(memory::close)
                .withMessageContaining(local.toString());
    }

    /** A queue for one write at a time. */
    private record WriteQueue(Jfc jfc, Jfs jfs) implements AutoCloseable {
        static WriteQueue open(UrmaContext context) {
            Jfc jfc = context.createJfc(JfcConfig.DEFAULT);
            return new WriteQueue(jfc, context.createJfs(jfc, JfsConfig.DEFAULT));
        }

        void write(RemoteSegment target, LocalSegment source) {
            assertThat(jfs.write(target, 0, source, 0, 8, 1)).isTrue();
            CompletionBatch batch = new CompletionBatch(1);
            Patience.await("a record", () -> jfc.poll(batch) == 1);
            assertThat(batch.isSuccess(0)).isTrue();
        }

        @Override
        public void close() {
            jfs.close();
            jfc.close();
        }
    }

    /** An isolated segment of one device excludes registrations of the other. */
    @Test
    void isolationHoldsAcrossDevices() {
        SharedMemory memory = shm.allocate(SIZE);
        SegmentConfig alone = SegmentConfig.of(Access.READ).withIsolation();
        LocalSegment isolated = udma.register(memory, alone);
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> shm.register(memory, Access.READ_WRITE))
                .withMessageContaining("isolated");
        isolated.close();

        LocalSegment sealed = shm.register(memory, alone);
        assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(() -> udma.register(memory, Access.READ))
                .withMessageContaining("isolated");
        sealed.close();
    }

    /** Whichever context ends first, the bytes stay for the other device. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bytesOutliveTheContextThatAllocatedThem(boolean ofShm) {
        UrmaContext owner = ofShm ? shm : udma;
        UrmaContext user = ofShm ? udma : shm;
        LocalSegment kept = user.register(owner.allocate(SIZE), Access.LOCAL_ONLY);
        MemorySegment bytes = kept.memory();

        owner.close();

        bytes.set(JAVA_LONG, 0, 3);
        kept.close();
        assertThat(bytes.scope().isAlive()).isFalse();
    }

    /** S14.11: a pool on both devices; its buffers serve operations of each. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void buffersOfOnePoolServeBothDevices(boolean shmFirst) {
        UrmaContext[] contexts = shmFirst ? new UrmaContext[] {shm, udma} : new UrmaContext[] {udma, shm};
        try (RegisteredBufferPool pool = RegisteredBufferPool.open(PoolConfig.fixed(SIZE, 4), contexts)) {
            RdmaBuf buf = pool.acquire(SIZE, Duration.ZERO);
            for (UrmaContext context : contexts) {
                LocalSegment segment = buf.view().localSegment(context);
                assertThat(segment.context()).isSameAs(context);
                assertThat(segment.memory().address() + buf.view().localOffset())
                        .isEqualTo(buf.view().address());
                assertMoves(context, buf);
            }
            buf.close();
            pool.trim();
            assertThat(pool.stats().registeredBytes()).isZero();
        }
    }

    /** S14.35: the device that maps memory, wherever it stands in the lists; the other for buffers that only that one has. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void transfersPreferTheDeviceThatMapsMemory(boolean shmFirst) {
        UrmaContext shmUser = urma.device("shm0").openContext();
        UrmaContext udmaUser = urma.device("udma0").openContext();
        UrmaContext[] users = shmFirst ? new UrmaContext[] {shmUser, udmaUser} : new UrmaContext[] {udmaUser, shmUser};
        try (RegisteredBufferPool pool = RegisteredBufferPool.open(PoolConfig.fixed(SIZE, 1), shm, udma);
                RegisteredBufferPool ofUsers = RegisteredBufferPool.open(PoolConfig.fixed(SIZE, 1), users);
                Transfers transfers = Transfers.open(TransferOptions.DEFAULT, users);
                RdmaBuf exported = pool.acquire(SIZE, Duration.ZERO);
                RdmaBuf onBoth = ofUsers.acquire(SIZE, Duration.ZERO);
                RdmaBuf onNetwork = RdmaBuf.allocate(udmaUser, SIZE)) {
            RemoteBuf remote = exported.exportTo(transfers.peer(), exported.view(), Access.READ_WRITE);
            assertThat(remote.windows()).hasSize(2);

            onBoth.view().putLong(0, 51);
            transfers.write(remote, onBoth.view()).join().orThrow();
            assertThat(exported.view().getLong(0)).isEqualTo(51);
            assertThat(imports(shm)).isEqualTo(1);
            assertThat(imports(udma)).isZero();

            transfers.read(remote, onNetwork.view()).join().orThrow();
            assertThat(onNetwork.view().getLong(0)).isEqualTo(51);
            assertThat(imports(udma)).isEqualTo(1);
        }
    }

    /** Of the other contexts on its device. */
    private static int imports(UrmaContext context) {
        return context.inspect(Set.of(Resource.Kind.IMPORT)).stream()
                .mapToInt(view -> view.resources().size())
                .sum();
    }

    private static void assertMoves(UrmaContext context, RdmaBuf buf) {
        LocalSegment home = context.register(context.allocate(SIZE), Access.READ_WRITE);
        RemoteSegment remote = context.importSegment(SharedSegment.parse(home.share()));
        CompletionBatch batch = new CompletionBatch(1);
        try (BufQueue queue = BufQueue.open(context)) {
            buf.view().putLong(0, home.tokenId());
            assertThat(queue.write(remote, 0, buf.view().first(8), 1)).isTrue();
            Patience.await("a record", () -> queue.poll(batch) == 1);
            assertThat(home.memory().get(JAVA_LONG, 0)).isEqualTo(home.tokenId());
            home.memory().set(JAVA_LONG, 8, 99);
            assertThat(queue.read(remote, 8, buf.view().subrange(8, 8), 2)).isTrue();
            Patience.await("a record", () -> queue.poll(batch) == 1);
            assertThat(buf.view().getLong(8)).isEqualTo(99);
        }
    }
}

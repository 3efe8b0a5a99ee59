package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.CompletionStatus;
import io.urma4j.LocalSegment;
import io.urma4j.Revocation;
import io.urma4j.SegmentConfig;
import io.urma4j.SharedMemory;
import io.urma4j.SharedSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.BufQueue;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SEMANTICS §7, §14: one memory that several contexts of a process register, and pools on several contexts. */
@SuppressWarnings("NullAway.Init") // everything is opened before each test
public abstract class SeveralContextsContract extends Contract {
    private static final int SIZE = 4096;

    private UrmaContext owner; // allocates
    private UrmaContext user; // registers the same memory
    private SharedMemory memory;

    protected SeveralContextsContract(String device) {
        super(device);
    }

    @BeforeEach
    void allocate() {
        owner = pair.device().openContext();
        user = pair.initiator().context();
        memory = owner.allocate(SIZE);
    }

    private HomeImport importOf(LocalSegment segment) {
        return pair.home().importSegment(new SharedSegment(segment.descriptor(), segment.token()));
    }

    private static byte[] bytes(int value) {
        return new byte[] {(byte) value, (byte) (value + 1), (byte) (value + 2)};
    }

    private static byte[] bytesAt(SharedMemory memory, long offset) {
        return memory.segment().asSlice(offset, 3).toArray(JAVA_BYTE);
    }

    // ---- S7.15

    /** S7.15: peers reach the same bytes through each context that registers them. */
    @Rule({"S7.15", "S7.2"})
    @Test
    void peersReachTheSameBytesThroughEachContext() {
        var ofOwner = importOf(owner.register(memory, Access.READ_WRITE));
        var second = user.register(memory, Access.READ_WRITE);
        var ofUser = importOf(second);

        assertThat(ofOwner.write(8, bytes(1)).isSuccess()).isTrue();
        assertThat(ofUser.write(64, bytes(5)).isSuccess()).isTrue();

        assertThat(bytesAt(memory, 8)).isEqualTo(bytes(1));
        assertThat(bytesAt(memory, 64)).isEqualTo(bytes(5));
        assertThat(second.memory().address()).isEqualTo(memory.segment().address());
        assertThat(second.context()).isSameAs(user);
    }

    /** S7.15: operations of each context move its bytes. */
    @Rule({"S7.15", "S7.2"})
    @Test
    void operationsOfEachContextMoveItsBytes() {
        var imported = pair.imported(SIZE);
        var here = user.register(memory, Access.LOCAL_ONLY);
        var queue = pair.initiator().queue();
        new Payload(3).fill(memory.segment(), 0, 0, 64);

        assertThat(queue.write(imported.remote(), 0, here, 0, 64).isSuccess()).isTrue();
        assertThat(queue.read(imported.remote(), 0, here, 128, 64).isSuccess()).isTrue();

        assertThat(imported.home().firstDifference(new Payload(3), 0, 0, 64)).isEqualTo(-1);
        assertThat(new Payload(3).firstDifference(memory.segment(), 128, 0, 64)).isEqualTo(-1);
    }

    /** S7.15: the end of one registration revokes its imports, and no others. */
    @Rule({"S7.15", "S7.9"})
    @Test
    void endOfOneRegistrationLeavesTheOthers() {
        var first = owner.register(memory, Access.READ_WRITE);
        var second = user.register(memory, Access.READ_WRITE);
        var revoked = importOf(first);
        var valid = importOf(second);

        assertThat(first.unregister(Patience.LIMIT)).isEqualTo(Revocation.COMPLETED);

        assertThat(revoked.write(0, bytes(1)).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(valid.write(0, bytes(7)).isSuccess()).isTrue();
        assertThat(bytesAt(memory, 0)).isEqualTo(bytes(7));
    }

    /** S7.15: memory is not freed under a registration of either context. */
    @Rule({"S7.15", "S4.1"})
    @Test
    void memoryIsNotFreedUnderARegistration() {
        var first = owner.register(memory, Access.LOCAL_ONLY);
        var second = user.register(memory, Access.READ_WRITE);

        assertRefused(UrmaStatus.EAGAIN, memory::close)
                .hasMessageContaining(first.toString())
                .hasMessageContaining(second.toString());
        first.close();
        assertRefused(UrmaStatus.EAGAIN, memory::close).hasMessageContaining(second.toString());
        second.close();
        MemorySegment bytes = memory.segment();
        memory.close();

        assertThat(bytes.scope().isAlive()).isFalse();
        assertRefused(UrmaStatus.EINVAL, () -> user.register(memory, Access.LOCAL_ONLY))
                .hasMessageContaining("is closed");
    }

    /** S7.15: the end of the context that allocated it closes the memory, whose bytes stay for the registrations of others. */
    @Rule({"S7.15", "S4.1"})
    @Test
    void bytesOutliveTheContextThatAllocatedThem() {
        owner.register(memory, Access.READ);
        var second = user.register(memory, Access.READ_WRITE);
        var imported = importOf(second);
        MemorySegment bytes = second.memory();
        var third = pair.anotherInitiator().context().register(memory, Access.READ);

        owner.close();
        third.close();

        assertRefused(UrmaStatus.EINVAL, memory::segment).hasMessageContaining("is closed");
        assertRefused(UrmaStatus.EINVAL, () -> user.register(memory, Access.READ))
                .hasMessageContaining("is closed");
        assertThat(imported.write(16, bytes(9)).isSuccess()).isTrue();
        assertThat(bytes.asSlice(16, 3).toArray(JAVA_BYTE)).isEqualTo(bytes(9));
        memory.close(); // has no effect

        second.close();

        assertThat(bytes.scope().isAlive()).isFalse();
    }

    /** S7.15, S4.1: without a registration of another context, its context frees the memory. */
    @Rule({"S7.15", "S4.1"})
    @Test
    void contextFreesItsMemoryAtItsEnd() {
        MemorySegment bytes = memory.segment();
        owner.register(memory, Access.READ);
        user.register(memory, Access.READ).close();

        owner.close();

        assertThat(bytes.scope().isAlive()).isFalse();
    }

    /** S7.15, S7.7: an isolated segment excludes registrations of all contexts. */
    @Rule({"S7.15", "S7.7"})
    @Test
    void isolationExcludesRegistrationsOfOtherContexts() {
        SegmentConfig alone = SegmentConfig.of(Access.READ_WRITE).withIsolation();
        var shared = owner.register(memory, Access.READ_WRITE);
        assertRefused(UrmaStatus.EINVAL, () -> user.register(memory, alone)).hasMessageContaining("isolated");
        shared.close();

        var isolated = user.register(memory, alone);

        assertRefused(UrmaStatus.EINVAL, () -> owner.register(memory, Access.READ_WRITE))
                .hasMessageContaining("isolated");
        isolated.close();
        owner.register(memory, Access.READ_WRITE).close();
    }

    /** S7.15: a token id is of one context. */
    @Rule({"S7.15", "S7.4"})
    @Test
    void tokenIdOfTheOtherContextIsRefused() {
        var tokenId = owner.createTokenId();

        assertRefused(
                        UrmaStatus.EINVAL,
                        () -> user.register(
                                memory, SegmentConfig.of(Access.READ).withTokenId(tokenId)))
                .hasMessageContaining("belongs to");

        memory.close();
    }

    // ---- S14.11

    private List<UrmaContext> contexts(int count) {
        List<UrmaContext> all = new ArrayList<>(List.of(user, owner));
        while (all.size() < count) {
            all.add(pair.device().openContext());
        }
        return all;
    }

    /** S14.11: a buffer is registered with each context, at one place of each registration. */
    @Rule("S14.11")
    @ParameterizedTest
    @ValueSource(ints = {2, 16})
    void slabsAreRegisteredWithEachContext(int count) {
        List<UrmaContext> all = contexts(count);
        var imported = pair.imported(SIZE);
        try (RegisteredBufferPool pool =
                        RegisteredBufferPool.open(PoolConfig.fixed(SIZE, 2), all.toArray(UrmaContext[]::new));
                RdmaBuf first = pool.acquire(SIZE, Duration.ZERO);
                RdmaBuf second = pool.acquire(64, Duration.ZERO);
                BufQueue queue = BufQueue.open(user)) {
            BufView view = second.view();
            view.putLong(0, 0x77);
            for (UrmaContext each : all) {
                LocalSegment segment = view.localSegment(each);
                assertThat(segment.context()).isSameAs(each);
                assertThat(segment).isSameAs(first.view().localSegment(each));
                assertThat(segment.memory().address() + view.localOffset()).isEqualTo(view.address());
            }
            assertThat(queue.write(imported.remote(), 0, view.first(8), 1)).isTrue();
            Patience.await("the record", () -> queue.poll(new CompletionBatch(1)) == 1);
            assertThat(imported.home().word(0)).isEqualTo(0x77);
        }
        memory.close();
        owner.closeIfUnused(); // the pool has left nothing
    }
}

package io.urma4j;

import static io.urma4j.FakeHome.assertInvalid;
import static io.urma4j.FakeHome.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.FakeContext.FakeSendQueue;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** S7.8: what is refused at post reaches no provider, and leaves the queue as it was. */
class PostChecksTest {
    private static final long SIZE = FakeHome.BYTES;

    private final FakeHome home = new FakeHome();
    private final LocalSegment local = home.segment();
    private final RemoteSegment remote = home.imported(Access.READ_WRITE_ATOMIC);
    private final Jfs jfs = home.jfs();

    @AfterEach
    void nothingWasAcceptedUnseen() {
        assertThat(jfs.state()).isEqualTo(QueueState.READY);
        home.close();
        assertThat(home.fake.open).as("left open in the provider").isEmpty();
    }

    @Test
    void rightOnesAreAccepted() {
        assertThat(jfs.write(remote, 0, local, 0, SIZE, 1)).isTrue();
        assertThat(jfs.read(remote, SIZE, local, SIZE, 0, 2)).isTrue();
        assertThat(jfs.fetchAndAdd(remote, SIZE - 8, local, SIZE - 8, 1, 3)).isTrue();
        assertThat(jfs.compareAndSwap(remote, 0, local, 0, 1, 2, 4)).isTrue();
        assertThat(posts()).containsExactly("WRITE 4096", "READ 0", "FADD 8", "CAS 8");
    }

    @Test
    void rangesOutsideEitherSegmentAreRefused() {
        long[][] outside = {
            {0, SIZE + 1},
            {SIZE, 1},
            {SIZE - 7, 8},
            {-1, 8},
            {0, -1},
            {-8, -8},
            {Long.MAX_VALUE, 1},
            {1, Long.MAX_VALUE},
            {Long.MIN_VALUE, Long.MIN_VALUE}
        };
        for (long[] range : outside) {
            assertInvalid(() -> jfs.write(remote, range[0], local, 0, range[1], 1));
            assertInvalid(() -> jfs.read(remote, range[0], local, 0, range[1], 1));
            assertInvalid(() -> jfs.write(remote, 0, local, range[0], range[1], 1));
            assertInvalid(() -> jfs.read(remote, 0, local, range[0], range[1], 1));
        }
        assertInvalid(() -> jfs.write(remote, SIZE - 7, local, 0, 8, 1))
                .withMessageContaining("remote segment")
                .withMessageContaining("offset 4089 + length 8 lies outside its 4096 bytes");
        assertThat(posts()).isEmpty();
    }

    @Test
    void lengthsAboveTheDevicesLimitsAreRefused() {
        assertInvalid(() -> jfs.write(remote, 0, local, 0, (1L << 28) + 1, 1))
                .withMessageContaining("length 268435457 is more than the device's limit of 268435456");
        try (TargetJetty target = home.context.importJetty(
                SharedJetty.parse(home.jetty(TransportMode.RM).share()))) {
            assertInvalid(() -> jfs.send(target, local, 0, (1 << 20) + 1, 1)).withMessageContaining("limit of 1048576");
        }
        assertThat(posts()).isEmpty();
    }

    @Test
    void misalignedAtomicsAreRefused() {
        assertInvalid(() -> jfs.fetchAndAdd(remote, 4, local, 0, 1, 1))
                .withMessageContaining("offset 4 of an atomic is not a multiple of its size 8");
        assertInvalid(() -> jfs.fetchAndAdd(remote, 0, local, 4, 1, 1))
                .withMessageContaining("offset 4 of the result is not a multiple of its size 8");
        for (int size : new int[] {-8, 0, 1, 2, 3, 5, 16}) {
            assertInvalid(() -> atomic(Opcode.FADD, size)).withMessageContaining("size of an atomic is " + size);
        }
        assertInvalid(() -> atomic(Opcode.SEND, 8)).withMessageContaining("SEND is not an atomic");
        assertThat(atomic(Opcode.FXOR, 4)).isTrue();
        assertThat(posts()).containsExactly("FXOR 4");
    }

    private boolean atomic(Opcode opcode, int size) {
        return jfs.atomic(opcode, remote, 0, local, 0, size, 1, 0, 1, PostFlags.DEFAULT);
    }

    @Test
    void whatTheAccessDoesNotAllowIsNotPermitted() {
        RemoteSegment readOnly = home.imported(Access.READ);
        RemoteSegment writable = home.imported(Access.READ_WRITE);
        assertRefused(UrmaStatus.ENOPERM, () -> jfs.write(readOnly, 0, local, 0, 8, 1))
                .withMessageContaining("imported as READ, which does not allow writes");
        assertRefused(UrmaStatus.ENOPERM, () -> jfs.fetchAndAdd(writable, 0, local, 0, 1, 1))
                .withMessageContaining("imported as READ_WRITE, which does not allow atomics");
        assertThat(jfs.read(readOnly, 0, local, 0, 8, 1)).isTrue();
        assertThat(jfs.write(writable, 0, local, 0, 8, 1)).isTrue();
    }

    @Test
    void closedHandlesAreNamed() {
        RemoteSegment goneRemote = home.imported(Access.READ_WRITE);
        LocalSegment goneLocal = home.segment();
        goneRemote.close();
        goneLocal.close();
        assertInvalid(() -> jfs.write(goneRemote, 0, local, 0, 8, 1)).withMessageContaining("is closed");
        assertInvalid(() -> jfs.write(remote, 0, goneLocal, 0, 8, 1)).withMessageContaining("is closed");
        assertInvalid(goneLocal::memory).withMessageContaining("is closed");
    }

    @Test
    void handlesOfAnotherContextAreRefused() {
        try (FakeHome other = new FakeHome()) {
            LocalSegment theirs = other.segment();
            RemoteSegment theirImport = other.imported(Access.READ_WRITE_ATOMIC);
            assertInvalid(() -> jfs.write(remote, 0, theirs, 0, 8, 1)).withMessageContaining("belongs to context");
            assertInvalid(() -> jfs.write(theirImport, 0, local, 0, 8, 1)).withMessageContaining("belongs to context");
            Jfc jfc = other.jfc();
            assertInvalid(() -> home.context.createJfs(jfc, JfsConfig.DEFAULT)).withMessageContaining("belongs to");
            SegmentConfig config = SegmentConfig.of(Access.READ).withTokenId(other.context.createTokenId());
            SharedMemory memory = home.context.allocate(8);
            assertInvalid(() -> home.context.register(memory, config)).withMessageContaining("belongs to");
        }
    }

    @Test
    void messagesNeedATargetExceptInModeRc() {
        assertInvalid(() -> jfs.send(null, local, 0, 8, 1)).withMessageContaining("target is null");
        Jetty rc = home.jetty(TransportMode.RC);
        assertThat(rc.jfs().send(null, local, 0, 8, 1)).isTrue();
    }

    @Test
    void immediatesThatDoNotFitAreRefused() {
        try (TargetJetty target = home.context.importJetty(
                SharedJetty.parse(home.jetty(TransportMode.RM).share()))) {
            assertThat(jfs.sendImmediate(target, local, 0, 8, 0xFFFF_FFFFL, 1)).isTrue();
            assertInvalid(() -> jfs.sendImmediate(target, local, 0, 8, 0x1_0000_0000L, 1))
                    .withMessageContaining("immediate 0x100000000 does not fit into the device's 32 bits");
            assertInvalid(() -> jfs.sendImmediate(target, local, 0, 8, -1, 1));
            long cut = 1L << 32 | 7;
            assertInvalid(() -> jfs.send(Opcode.SEND_INVALIDATE, target, local, 0, 8, cut, 1, PostFlags.DEFAULT))
                    .withMessageContaining("token id 0x100000007 is longer than 32 bits");
        }
        assertThat(posts()).containsExactly("SEND_IMM 8");
    }

    @Test
    void modeUmHasMessagesOnly() {
        Jfs um = home.context.createJfs(
                home.jfc(), JfsConfig.builder().mode(TransportMode.UM).build());
        BiFunction<Integer, Integer, Boolean> anything = (offset, length) ->
                um.write(remote, offset, local, 0, length, 1) || um.read(remote, offset, local, 0, length, 1);
        assertInvalid(() -> anything.apply(0, 8)).withMessageContaining("mode UM supports only messages");
        assertInvalid(() -> anything.apply(0, 0)).withMessageContaining("mode UM supports only messages");
        assertInvalid(() -> um.fetchAndAdd(remote, 0, local, 0, 1, 1))
                .withMessageContaining("UM supports only messages");
    }

    @Test
    void aFullQueueIsAValue() {
        FakeSendQueue.of(jfs).room = 1;
        assertThat(jfs.write(remote, 0, local, 0, 8, 1)).isTrue();
        assertThat(jfs.write(remote, 0, local, 0, 8, 2)).isFalse();
    }

    private java.util.List<String> posts() {
        return FakeSendQueue.of(jfs).posts;
    }
}

package io.urma4j.udma.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.Jetty;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.QueueState;
import io.urma4j.RemoteSegment;
import io.urma4j.RoceGrant;
import io.urma4j.SegmentConfig;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.ThreeFsBuf;
import io.urma4j.udma.RoceEndpoint;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** S7.16: ranges for a peer of which only QP and GID are known. */
class RoceGrantTest {
    private static final int AT = 4096;
    private static final int LENGTH = 512;

    /** So many that every index in use has had more lives than a key tells apart. */
    private static final int MANY_GRANTS = 300_000;

    @TempDir
    private static Path runtime;

    private final ByHandSide peer = new ByHandSide(runtime, "127.0.71.51");
    private final ByHandSide home = new ByHandSide(runtime, "127.0.71.52");
    private LocalSegment slab;

    @BeforeEach
    void bindEachOther() {
        RoceEndpoint ofPeer = peer.told();
        peer.bind(home.told());
        home.bind(ofPeer);
        slab = home.context.register(
                home.context.allocate(ByHandSide.MEMORY_BYTES),
                SegmentConfig.of(Access.READ_WRITE_ATOMIC).withWindowsOnly());
        peer.bytes().fill((byte) 7);
    }

    @AfterEach
    void close() {
        peer.close();
        home.close();
    }

    private RemoteSegment range(int rkey, long address, long lengthBytes) {
        return peer.context.importSegment(ByHandSide.toldRange(home.told(), rkey, address, lengthBytes), null);
    }

    private RemoteSegment range(RoceGrant grant, long lengthBytes) {
        return range(grant.rkey(), grant.address(), lengthBytes);
    }

    private CompletionStatus written(RemoteSegment target, long offset, long lengthBytes) {
        peer.jetty.jfs().write(target, offset, peer.segment, 0, lengthBytes, 0);
        return peer.next(peer.sends).status();
    }

    private static ThrowableAssertAlternative<UrmaException> assertInvalid(ThrowingCallable call) {
        return assertThatExceptionOfType(UrmaException.class)
                .isThrownBy(call)
                .matches(e -> e.status() == UrmaStatus.EINVAL);
    }

    @Test
    void peerWritesAndReadsExactlyTheRange() {
        RoceGrant grant = slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE);
        RemoteSegment range = range(grant, LENGTH);

        assertThat(written(range, 0, LENGTH)).isEqualTo(CompletionStatus.SUCCESS);
        peer.jetty.jfs().read(range, 0, peer.segment, 8000, LENGTH, 1);
        assertThat(peer.next(peer.sends).status()).isEqualTo(CompletionStatus.SUCCESS);

        assertThat(slab.memory().get(JAVA_BYTE, AT - 1)).isZero();
        assertThat(slab.memory().asSlice(AT, LENGTH).mismatch(peer.bytes().asSlice(8000, LENGTH)))
                .isEqualTo(-1);
        assertThat(slab.memory().get(JAVA_BYTE, AT)).isEqualTo((byte) 7);
        assertThat(slab.memory().get(JAVA_BYTE, AT + LENGTH)).isZero();
        assertThat(grant.takeBack()).isTrue();
        assertThat(grant).hasToString("grant of 512 bytes to a RoCE peer");
    }

    @Test
    void homeRefusesAByteBeyond() {
        RoceGrant grant = slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE);

        assertThat(written(range(grant, LENGTH + 1), 1, LENGTH)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(slab.memory().get(JAVA_BYTE, AT + LENGTH)).isZero();
    }

    @Test
    void homeRefusesAWriteIntoARangeToRead() {
        RoceGrant grant = slab.grant(home.jetty, AT, LENGTH, Access.READ);

        assertThat(written(range(grant, LENGTH), 0, 8)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    @Test
    void homeRefusesARangeThatWasTakenBack() {
        RoceGrant grant = slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE);
        RemoteSegment range = range(grant, LENGTH);

        assertThat(grant.takeBack()).isTrue();

        assertThat(written(range, 0, 8)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(slab.memory().get(JAVA_BYTE, AT)).isZero();
    }

    /** Not even one of the same peer. */
    @Test
    void anotherConnectionCannotUseTheRkey() {
        Jetty ofHome = home.secondJetty();
        Jetty ofPeer = peer.secondJetty();
        RoceEndpoint told = ByHandSide.told(ofPeer);
        peer.bind(ofPeer, ByHandSide.told(ofHome));
        home.bind(ofHome, told);
        RoceGrant grant = slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE);
        RoceGrant ofOther = slab.grant(ofHome, 0, 64, Access.READ_WRITE);

        assertThat(written(range(grant, LENGTH), 0, 8)).isEqualTo(CompletionStatus.SUCCESS);
        ofPeer.jfs().write(range(ofOther, 64), 0, peer.segment, 0, 8, 1);
        assertThat(peer.next(peer.sends).status()).isEqualTo(CompletionStatus.SUCCESS);
        ofPeer.jfs().write(range(grant, LENGTH), 0, peer.segment, 0, 8, 2);
        assertThat(peer.next(peer.sends).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
    }

    @Test
    void rangesEndWithTheBinding() {
        RoceGrant grant = slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE);

        home.jetty.modify(QueueState.ERROR);
        assertThat(home.next(home.sends).status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR_DONE);
        home.jetty.unbind();

        assertThat(grant.isQuiet()).isTrue();
        assertInvalid(() -> slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE))
                .withMessageContaining("is bound to no RoCE endpoint");
        home.bind(peer.told());
        assertThat(slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE).isQuiet())
                .isFalse();
    }

    @Test
    void refusals() {
        assertInvalid(() -> slab.grant(home.jetty, AT, ByHandSide.MEMORY_BYTES, Access.READ));
        assertInvalid(() -> slab.grant(home.jetty, AT, 0, Access.READ));
        assertInvalid(() -> slab.grant(home.jetty, AT, 8, Access.LOCAL_ONLY));
        assertInvalid(() -> slab.grant(peer.jetty, AT, 8, Access.READ)).withMessageContaining("belongs to");
        assertInvalid(() -> home.segment.grant(home.jetty, AT, 8, Access.READ))
                .withMessageContaining("is not windows-only");
    }

    /** S8.11. */
    @Test
    void messageOfThePeerEndsItsOwnRangesAlone() {
        home.jfr.receive(home.segment, 0, 64, 9);
        RoceGrant grant = slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE);
        try (ByHandSide other = new ByHandSide(runtime, "127.0.71.54")) {
            var ofOther = slab.grant(other.context.peerId(), 0, 64, Access.READ);
            long rkey = Integer.toUnsignedLong(grant.rkey());

            peer.jetty.jfs().send(Opcode.SEND_INVALIDATE, null, peer.segment, 0, 20, rkey, 0, PostFlags.DEFAULT);

            assertThat(peer.next(peer.sends).status()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(home.next(home.receives).status()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(ofOther.isQuiet()).isFalse();
            assertThat(slab.revocation()).isEmpty();
            assertThat(written(range(grant, LENGTH), 0, 8)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        }
    }

    @Test
    void rkeysNeverRunOut() {
        RoceGrant grant = slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE);
        for (int i = 0; i < MANY_GRANTS; i++) {
            grant.close();
            grant = slab.grant(home.jetty, AT, LENGTH, Access.READ_WRITE);
        }

        assertThat(grant.address()).as("an address that no memory has").isNegative();
        assertThat(written(range(grant, LENGTH), 8, 8)).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(slab.memory().get(JAVA_BYTE, AT + 8)).isEqualTo((byte) 7);
    }

    @Test
    void leaseIsExportedInTheFormOf3fsAndItsEndRevokesIt() {
        PoolConfig config = PoolConfig.fixed(4096, 4);
        try (RegisteredBufferPool pool = RegisteredBufferPool.open(config, home.context)) {
            RdmaBuf lease = pool.acquire(4096, Duration.ZERO);
            BufView view = lease.view().subrange(64, LENGTH);
            ThreeFsBuf exported = lease.exportTo(home.jetty, view, Access.READ_WRITE);
            ThreeFsBuf other = lease.exportTo(home.jetty, lease.view(), Access.READ);
            assertThat(exported.lengthBytes()).isEqualTo(LENGTH);
            assertThat(exported.rkey(0)).isNotEqualTo(OptionalInt.empty()).isNotEqualTo(other.rkey(0));
            RemoteSegment range = range(exported.rkey(0).orElseThrow(), exported.address(), LENGTH);

            assertThat(written(range, 0, LENGTH)).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(lease.view().getByte(63)).isZero();
            assertThat(view.getByte(0)).isEqualTo((byte) 7);
            assertThat(lease.takeBack(other)).isTrue();
            assertThat(written(range, 0, 8)).as("the other export stays").isEqualTo(CompletionStatus.SUCCESS);

            lease.close();

            assertThat(pool.stats().quarantined()).isZero();
            assertThat(written(range, 0, 8)).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        }
    }
}

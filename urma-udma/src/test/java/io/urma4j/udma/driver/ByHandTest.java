package io.urma4j.udma.driver;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Completion;
import io.urma4j.CompletionStatus;
import io.urma4j.Eid;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.tck.Patience;
import io.urma4j.udma.RoceEndpoint;
import java.lang.foreign.MemorySegment;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two contexts of which each knows of the other what a peer of RoCE could have told: a QP and a key, and no more. Neither
 * greets the other.
 */
class ByHandTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int MTU_BYTES = ByHandSide.MTU_BYTES;
    private static final int MEMORY_BYTES = ByHandSide.MEMORY_BYTES;

    @TempDir
    private static Path runtime;

    private final ByHandSide initiator = new ByHandSide(runtime, "127.0.71.41");
    private final ByHandSide home = new ByHandSide(runtime, "127.0.71.42");
    private RemoteSegment remote;

    @BeforeEach
    void tellEachOther() {
        RoceEndpoint ours = initiator.told();
        initiator.bind(home.told());
        home.bind(ours);
        remote = initiator.context.importSegment(home.toldSegment(MEMORY_BYTES), null);
        for (int i = 0; i < MEMORY_BYTES; i++) {
            initiator.bytes().set(JAVA_BYTE, i, (byte) (i * 31 + (i >> 8)));
        }
    }

    @AfterEach
    void close() {
        initiator.close();
        home.close();
    }

    private CompletionStatus ended() {
        return initiator.next(initiator.sends).status();
    }

    @Test
    void bytesAreWrittenAndReadByTheKeyAlone() {
        initiator.jetty.jfs().write(remote, 3, initiator.segment, 1, 5000, 0);
        initiator.jetty.jfs().read(remote, 3, initiator.segment, 8000, 5000, 1);

        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);
        MemorySegment written = initiator.bytes().asSlice(1, 5000);
        assertThat(home.bytes().asSlice(3, 5000).mismatch(written)).isEqualTo(-1);
        assertThat(initiator.bytes().asSlice(8000, 5000).mismatch(written)).isEqualTo(-1);
    }

    @Test
    void atomicsGiveWhatWasThere() {
        home.bytes().set(JAVA_LONG, 64, 40);

        initiator.jetty.jfs().fetchAndAdd(remote, 64, initiator.segment, 0, 2, 0);
        initiator.jetty.jfs().compareAndSwap(remote, 64, initiator.segment, 8, 42, 7, 1);
        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);

        assertThat(initiator.bytes().get(JAVA_LONG, 0)).isEqualTo(40);
        assertThat(initiator.bytes().get(JAVA_LONG, 8)).isEqualTo(42);
        assertThat(home.bytes().get(JAVA_LONG, 64)).isEqualTo(7);
    }

    @Test
    void anImmediateOf32BitsArrivesAndALongerOneIsRefused() {
        home.jfr.receive(home.segment, 0, 64, 9);

        initiator.jetty.jfs().sendImmediate(null, initiator.segment, 0, 20, 0xCAFE_BABEL, 0);

        assertThat(ended()).isEqualTo(CompletionStatus.SUCCESS);
        Completion received = home.next(home.receives);
        assertThat(received.lengthBytes()).isEqualTo(20);
        assertThat(received.immediate()).isEqualTo(OptionalLong.of(0xCAFE_BABEL));
        assertThatThrownBy(() -> initiator.jetty.jfs().sendImmediate(null, initiator.segment, 0, 20, 1L << 32, 1))
                .isInstanceOf(UrmaException.class)
                .hasMessageContaining("32 bits");
    }

    @Test
    void whatLiesBeyondTheEndIsRefusedByTheHome() {
        RemoteSegment longer = initiator.context.importSegment(home.toldSegment(2 * MEMORY_BYTES), null);

        initiator.jetty.jfs().write(longer, MEMORY_BYTES - 64, initiator.segment, 0, 128, 0);

        assertThat(ended()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(home.bytes().get(JAVA_BYTE, MEMORY_BYTES - 63)).isZero();
    }

    /** S9.3: no record and no poll tells its end. */
    @Test
    void theImportCanBeClosedAfterAnUnsignalledWrite() {
        initiator.jetty.jfs().write(remote, 0, initiator.segment, 0, 8, 0, PostFlags.DEFAULT.unsignalled());

        Patience.await("the end of the write", () -> isClosed(remote));
    }

    private static boolean isClosed(RemoteSegment closing) {
        try {
            closing.close();
            return true;
        } catch (UrmaException e) {
            assertThat(e.status()).isEqualTo(UrmaStatus.EAGAIN);
            return false;
        }
    }

    /** The loopback interface carries longer ones, but RoCE has none. */
    @Test
    void aPeerThatDoesNotTellItsPathMtuGetsThePacketsOfRoce() throws Exception {
        var gid = InetAddress.getByName("127.0.71.45");
        try (var silent = new DatagramSocket(new InetSocketAddress(gid, 4791));
                var side = new ByHandSide(runtime, "127.0.72.45")) {
            silent.setSoTimeout((int) PATIENCE.toMillis());
            side.bind(new RoceEndpoint(Eid.of(gid), 0x11, 0x100, 0));
            RemoteSegment segment = side.context.importSegment(side.toldSegment(MEMORY_BYTES), null);
            side.jetty.jfs().write(segment, 0, side.segment, 0, MEMORY_BYTES, 0);

            var packet = new DatagramPacket(new byte[1 << 16], 1 << 16);
            silent.receive(packet);

            assertThat(packet.getData()[0]).as("opcode of RC RDMA WRITE first").isEqualTo((byte) 0x06);
            assertThat(packet.getLength()).as("BTH, RETH, payload, ICRC").isEqualTo(12 + 16 + 4096 + 4);
        }
    }

    /** A peer answers so many READs at a time as it keeps resources for; one that did not tell, one. */
    @Test
    void noMoreReadsAreAskedForThanThePeerTakesAtATime() throws Exception {
        assertThat(home.told().readDepth()).isEqualTo(16);
        assertThat(readsAskedForAtOnce("127.0.71.43", 4)).isEqualTo(4);
        assertThat(readsAskedForAtOnce("127.0.71.44", 0)).isEqualTo(1);
    }

    private static int readsAskedForAtOnce(String address, int readDepth) throws Exception {
        Set<Integer> psns = new HashSet<>();
        var gid = InetAddress.getByName(address);
        try (var silent = new DatagramSocket(new InetSocketAddress(gid, 4791));
                var side = new ByHandSide(runtime, address.replace(".71.", ".72."))) {
            silent.setSoTimeout(100);
            side.bind(new RoceEndpoint(Eid.of(gid), 0x11, 0x100, MTU_BYTES, readDepth));
            RemoteSegment segment = side.context.importSegment(side.toldSegment(MEMORY_BYTES), null);
            for (int i = 0; i < 8; i++) {
                side.jetty.jfs().read(segment, 0, side.segment, 64L * i, 64, i);
            }
            var packet = new DatagramPacket(new byte[2048], 2048);
            try {
                for (int i = 0; i < 32; i++) {
                    silent.receive(packet);
                    ByteBuffer bth = ByteBuffer.wrap(packet.getData());
                    assertThat(bth.get(0)).as("opcode of RC RDMA READ request").isEqualTo((byte) 0x0C);
                    psns.add(bth.getInt(8) & 0xFF_FFFF);
                }
            } catch (SocketTimeoutException e) {
                // it waits for answers
            }
        }
        return psns.size();
    }

    /** S8.11: nothing was imported, so nothing can be revoked. */
    @Test
    void aKeyForEverybodyIsNotRevokedByAMessage() {
        home.jfr.receive(home.segment, 0, 64, 9);
        long key = remote.descriptor().endpoints().getFirst().key();

        initiator.jetty.jfs().send(Opcode.SEND_INVALIDATE, null, initiator.segment, 0, 20, key, 0, PostFlags.DEFAULT);

        assertThat(ended()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
        assertThat(home.segment.revocation()).isEmpty();
    }
}

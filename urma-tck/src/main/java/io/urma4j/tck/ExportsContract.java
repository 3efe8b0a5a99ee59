package io.urma4j.tck;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.urma4j.Access;
import io.urma4j.CompletionStatus;
import io.urma4j.SharedSegment;
import io.urma4j.Token;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaStatus;
import io.urma4j.buffer.BufView;
import io.urma4j.buffer.Peer;
import io.urma4j.buffer.PoolConfig;
import io.urma4j.buffer.RdmaBuf;
import io.urma4j.buffer.RegisteredBufferPool;
import io.urma4j.buffer.RemoteBuf;
import io.urma4j.buffer.RemoteBufCodec;
import io.urma4j.buffer.RemoteCursor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** SEMANTICS §14: buffers of a pool that are exported to a peer: what it reaches, and the forms that tell it. */
public abstract class ExportsContract extends ExportingContract {
    protected ExportsContract(String device) {
        super(device);
    }

    // ---- what a peer reaches

    /** S14.19: the peer reads and writes exactly the view, with all operations that the access allows. */
    @Rule({"S14.19", "S14.20"})
    @Test
    void peerReachesTheView() {
        try (RegisteredBufferPool pool = pool(3);
                RdmaBuf before = filled(pool, 1);
                RdmaBuf buf = filled(pool, 2);
                RdmaBuf after = filled(pool, 3)) {
            BufView view = buf.view().subrange(64, 512);
            HomeRemoteBuf remote = opened(buf.exportTo(peer(), view, Access.READ_WRITE_ATOMIC));

            assertThat(remote.read(0, 512).status()).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(remote.lastRead()).isEqualTo(view.segment().toArray(JAVA_BYTE));
            assertThat(remote.write(8, bytes(9, 504)).status()).isEqualTo(CompletionStatus.SUCCESS);
            view.putLong(0, 41);
            assertThat(remote.addOne(0).status()).isEqualTo(CompletionStatus.SUCCESS);

            assertThat(view.getLong(0)).isEqualTo(42);
            assertThat(new Payload(9).firstDifference(view.segment(), 8, 0, 504))
                    .isEqualTo(-1);
            MemorySegment whole = buf.view().segment();
            assertThat(new Payload(2).firstDifference(whole, 0, 0, 64)).isEqualTo(-1);
            assertThat(new Payload(2).firstDifference(whole, 576, 576, SIZE - 576))
                    .isEqualTo(-1);
            assertHolds(before, 1);
            assertHolds(after, 3);
        }
    }

    /** S14.19: one byte beyond the view is refused at post, though the slab is longer. */
    @Rule({"S14.19", "S7.8"})
    @ParameterizedTest
    @CsvSource({"100, 1", "99, 2", "-1, 1", "0, 101"})
    void oneByteBeyondTheViewIsRefused(long offset, int lengthBytes) {
        try (RegisteredBufferPool pool = pool(2);
                RdmaBuf buf = filled(pool, 2)) {
            HomeRemoteBuf remote = opened(buf.exportTo(peer(), buf.view().subrange(8, 100), Access.READ_WRITE));

            assertRefused(UrmaStatus.EINVAL, () -> remote.write(offset, new byte[lengthBytes]));
            assertRefused(UrmaStatus.EINVAL, () -> remote.read(offset, lengthBytes));

            assertHolds(buf, 2);
        }
    }

    /** S14.19: the slab opens to its importer by windows alone. */
    @Rule({"S14.19", "S14.31"})
    @Test
    void importOfASlabOpensNothingElse() {
        try (RegisteredBufferPool pool = pool(2);
                RdmaBuf buf = filled(pool, 2);
                RdmaBuf other = filled(pool, 3)) {
            var slab = exported(buf, Access.READ_WRITE).windows().getFirst().segment();
            HomeImport whole = pair.home().importSegment(new SharedSegment(slab, Token.random()));

            assertRefused(UrmaStatus.ENOPERM, () -> whole.write(0, new byte[8]));
            assertRefused(UrmaStatus.ENOPERM, () -> whole.write(SIZE, new byte[8]));

            assertHolds(buf, 2);
            assertHolds(other, 3);
        }
    }

    /** S14.19: a pool and a peer of two contexts each: a window for each of both, on its own context alone. */
    @Rule({"S14.19", "S14.18"})
    @Test
    void eachCommonDeviceHasItsWindow() {
        UrmaContext[] users = {pair.device().openContext(), pair.device().openContext()};
        Peer peer = Peer.parse(Peer.of(users).toText());
        PoolConfig config = PoolConfig.fixed(SIZE, 2);
        try (RegisteredBufferPool pool =
                RegisteredBufferPool.open(config, context(), pair.device().openContext())) {
            RdmaBuf buf = filled(pool, 1);
            RemoteBuf exported = RemoteBuf.parse(exportedTo(peer, buf).toText());
            assertThat(exported.windows()).extracting(RemoteBuf.Window::device).containsExactly(0, 1);
            assertThat(exported.windows()).extracting(RemoteBuf.Window::user).containsExactly(0, 1);
            List<HomeRemoteBuf> remotes = new ArrayList<>();
            for (RemoteBuf.Window window : exported.windows()) {
                RemoteBuf one = RemoteBuf.of(List.of(window));
                remotes.add(new LocalHomeRemoteBuf(users[window.user()], one));
                UrmaContext other = users[1 - window.user()];
                assertRefused(UrmaStatus.ENOPERM, () -> new LocalHomeRemoteBuf(other, one));
            }

            for (int i = 0; i < remotes.size(); i++) {
                assertThat(remotes.get(i).write(64L * i, bytes(5 + i, 64)).status())
                        .isEqualTo(CompletionStatus.SUCCESS);
                MemorySegment bytes = buf.view().segment();
                assertThat(new Payload(5 + i).firstDifference(bytes, 64L * i, 0, 64))
                        .isEqualTo(-1);
            }
            buf.close();
            try (RdmaBuf next = filled(pool, 2)) {
                for (HomeRemoteBuf remote : remotes) {
                    assertThat(remote.write(0, bytes(9, 64)).status()).isEqualTo(CompletionStatus.REM_ACCESS_ABORT_ERR);
                }
                assertHolds(next, 2);
            }
            assertIdle(pool);
        }
    }

    private static RemoteBuf exportedTo(Peer peer, RdmaBuf buf) {
        return buf.exportTo(peer, buf.view(), Access.READ_WRITE);
    }

    /** S14.20: the peer may do what was granted, and no more. */
    @Rule({"S14.20", "S7.8"})
    @Test
    void accessBeyondTheExportIsRefused() {
        try (RegisteredBufferPool pool = pool(1);
                RdmaBuf buf = filled(pool, 2)) {
            HomeRemoteBuf readable = opened(exported(buf, Access.READ));
            HomeRemoteBuf writable = opened(exported(buf, Access.READ_WRITE));

            assertRefused(UrmaStatus.ENOPERM, () -> readable.write(0, new byte[8]));
            assertRefused(UrmaStatus.ENOPERM, () -> readable.addOne(0));
            assertRefused(UrmaStatus.ENOPERM, () -> writable.addOne(0));

            assertThat(readable.read(0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
            assertHolds(buf, 2);
        }
    }

    // ---- what cannot be exported

    /** S14.20: an export never has more access than the pool allows, nor a range that atomics cannot use. */
    @Rule("S14.20")
    @Test
    void exportWithMoreAccessThanTheLeaseHasIsRefused() {
        PoolConfig config =
                PoolConfig.fixed(SIZE, 1).toBuilder().exports(Access.READ).build();
        try (RegisteredBufferPool readable = RegisteredBufferPool.open(config, context());
                RdmaBuf buf = filled(readable, 2);
                RegisteredBufferPool pool = pool(1);
                RdmaBuf other = acquire(pool)) {
            for (Access access : List.of(Access.LOCAL_ONLY, Access.READ_WRITE, Access.READ_WRITE_ATOMIC)) {
                assertRefused(UrmaStatus.EINVAL, () -> exported(buf, access)).hasMessageContaining("READ…READ ");
            }
            assertRefused(UrmaStatus.EINVAL, () -> exported(other, Access.LOCAL_ONLY));
            BufView odd = other.view().subrange(4, 8);
            assertRefused(UrmaStatus.EINVAL, () -> other.exportTo(peer(), odd, Access.READ_WRITE_ATOMIC))
                    .hasMessageContaining("multiple of 8");

            assertThat(opened(exported(buf, Access.READ)).read(0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
            assertHolds(buf, 2);
        }
    }

    /** S14.20: views of other leases, stale and empty ones, and buffers of no pool. */
    @Rule({"S14.20", "S14.2"})
    @Test
    void onlyAViewOfTheLeaseIsExported() {
        PoolConfig none =
                PoolConfig.fixed(SIZE, 1).toBuilder().exports(Access.LOCAL_ONLY).build();
        try (RegisteredBufferPool pool = pool(2);
                RdmaBuf buf = acquire(pool);
                RdmaBuf own = RdmaBuf.allocate(context(), SIZE);
                RegisteredBufferPool closed = RegisteredBufferPool.open(none, context());
                RdmaBuf kept = acquire(closed)) {
            RdmaBuf ended = acquire(pool);
            BufView stale = ended.view();
            assertRefused(UrmaStatus.EINVAL, () -> buf.exportTo(peer(), stale, Access.READ))
                    .hasMessageContaining("is no view of it");
            ended.close();
            assertRefused(UrmaStatus.EINVAL, () -> ended.exportTo(peer(), buf.view(), Access.READ))
                    .hasMessageContaining("is closed");
            assertRefused(UrmaStatus.EINVAL, () -> buf.exportTo(peer(), stale, Access.READ));
            assertRefused(UrmaStatus.EINVAL, () -> buf.exportTo(peer(), BufView.INVALID, Access.READ));
            assertRefused(
                            UrmaStatus.EINVAL,
                            () -> buf.exportTo(peer(), buf.view().first(0), Access.READ))
                    .hasMessageContaining("empty");
            assertRefused(UrmaStatus.EINVAL, () -> own.exportTo(peer(), own.view(), Access.READ))
                    .hasMessageContaining("only leases of a pool");
            assertRefused(UrmaStatus.EINVAL, () -> kept.exportTo(peer(), kept.view(), Access.READ))
                    .hasMessageContaining("LOCAL_ONLY");
            assertRefused(UrmaStatus.EINVAL, () -> ended.takeBack(RemoteBuf.INVALID));
        }
    }

    /** S14.19: the message names what the peer has, and the devices of the pool. */
    @Rule("S14.19")
    @Test
    void peerWithoutACommonDeviceIsRefused() {
        try (RegisteredBufferPool pool = pool(1);
                RdmaBuf buf = acquire(pool)) {
            Peer other = new Peer(List.of(new Peer.Member("quantum", context().peerId())));

            assertRefused(UrmaStatus.EINVAL, () -> buf.exportTo(other, buf.view(), Access.READ))
                    .hasMessageContaining("quantum")
                    .hasMessageContaining("no device in common")
                    .hasMessageContaining(context().device().name());
        }
        // of several contexts, the one on the common device
        try (RegisteredBufferPool pool = pool(1);
                RdmaBuf buf = filled(pool, 2)) {
            List<Peer.Member> contexts =
                    new ArrayList<>(List.of(new Peer.Member("quantum", context().peerId())));
            Peer.Member home = peer().contexts().getFirst();
            assumeTrue(topology() != Topology.LOOPBACK, "both are one context");
            contexts.add(home);
            RemoteBuf exported = buf.exportTo(new Peer(contexts), buf.view(), Access.READ);
            assertThat(exported.windows()).hasSize(1);
            assertThat(exported.windows().getFirst().user()).isEqualTo(1);
            assertThat(opened(exported).read(0, 8).status()).isEqualTo(CompletionStatus.SUCCESS);
        }
    }

    // ---- remote buffers

    /** S14.29: what a receiver derives has no byte more, and nothing shared changes. */
    @Rule({"S14.29", "S14.1", "S14.4"})
    @Test
    void receiversPartNeverWidens() {
        try (RegisteredBufferPool pool = pool(1);
                RdmaBuf buf = filled(pool, 1)) {
            RemoteBuf whole = RemoteBuf.parse(buf.exportTo(peer(), buf.view().subrange(128, 256), Access.READ_WRITE)
                    .toText());
            RemoteBuf part = whole.subrange(64, 32);
            RemoteCursor cursor = part.cursor();
            cursor.advance(8);
            cursor.subtract(8);
            assertThat(cursor.buf()).isEqualTo(whole.subrange(72, 16));
            cursor.resetRange();
            assertThat(cursor.buf()).isEqualTo(part);
            assertThat(part.subrange(31, 2).isValid()).isFalse();
            assertThat(part.subrange(-1, 2).isValid()).isFalse();
            assertThat(whole.window(-1)).isEmpty();
            assertThat(whole.address()).isEqualTo(buf.view().address() + 128);

            assertThat(opened(part).write(0, bytes(5, 32)).status()).isEqualTo(CompletionStatus.SUCCESS);

            MemorySegment bytes = buf.view().segment();
            assertThat(new Payload(5).firstDifference(bytes, 128 + 64, 0, 32)).isEqualTo(-1);
            assertThat(new Payload(1).firstDifference(bytes, 0, 0, 128 + 64)).isEqualTo(-1);
            assertThat(new Payload(1).firstDifference(bytes, 224, 224, SIZE - 224))
                    .isEqualTo(-1);
        }
    }

    /** S14.30: each form has all that an import needs, and is short. */
    @Rule({"S14.30", "S1.4"})
    @Test
    void formsAreShortAndWhole() {
        int count = 32;
        RemoteBufCodec codec = new RemoteBufCodec();
        try (RegisteredBufferPool pool = pool(count)) {
            List<RemoteBuf> all = new ArrayList<>();
            long[] lengths = new long[count];
            Arrays.fill(lengths, SIZE);
            List<RdmaBuf> leases = pool.acquireAll(lengths, Duration.ZERO);
            for (RdmaBuf buf : leases) {
                all.add(exported(buf, Access.READ_WRITE));
            }
            byte[] bytes = new byte[4096];
            MemorySegment memory = MemorySegment.ofArray(bytes);
            int one = codec.encodeAll(all.subList(0, 1), memory);
            int many = codec.encodeAll(all, memory);
            assertThat(codec.decodeAll(memory.asSlice(0, many))).isEqualTo(all);
            assertThat(many - one).isLessThanOrEqualTo(40 * (count - 1));

            RemoteBuf last = all.getLast().subrange(8, 80);
            int length = codec.encode(last, memory);
            assertThat(length).isLessThanOrEqualTo(256);
            assertThat(codec.decode(memory.asSlice(0, length))).isEqualTo(last);
            assertThat(codec.parseJson(codec.toJson(last))).isEqualTo(last);
            String line = codec.toText(last);
            assertThat(pair.home().remoteBuf(line).write(0, bytes(6, 80)).status())
                    .isEqualTo(CompletionStatus.SUCCESS);
            assertThat(new Payload(6).firstDifference(leases.getLast().view().segment(), 8, 0, 80))
                    .isEqualTo(-1);
            assertRefused(UrmaStatus.EINVAL, () -> codec.parse(line.substring(1)));
            leases.forEach(RdmaBuf::close);
        }
    }

    /** S14.30: whoever changed it: the bytes, and even the checksum with them. */
    @Rule({"S14.30", "S14.29"})
    @Test
    void changedFormsAreRefused() {
        RemoteBufCodec codec = new RemoteBufCodec();
        try (RegisteredBufferPool pool = pool(1);
                RdmaBuf buf = acquire(pool)) {
            RemoteBuf part = exported(buf, Access.READ).subrange(8, 16);
            byte[] form = new byte[256];
            form = Arrays.copyOf(form, codec.encode(part, MemorySegment.ofArray(form)));
            String json = codec.toJson(part);
            for (int i = 0; i < form.length; i++) {
                byte[] changed = form.clone();
                changed[i] ^= (byte) (1 << i % 8);
                assertRefused(UrmaStatus.EINVAL, () -> codec.decode(MemorySegment.ofArray(changed)));
                byte[] cut = Arrays.copyOf(form, i);
                assertRefused(UrmaStatus.EINVAL, () -> codec.decode(MemorySegment.ofArray(cut)));
            }
            for (int i = 0; i < json.length(); i++) {
                String changed = json.substring(0, i) + (char) (json.charAt(i) ^ 1) + json.substring(i + 1);
                assertRefused(UrmaStatus.EINVAL, () -> codec.parseJson(changed));
            }
            int range = form.length - 4 - 22 - 16; // in front of its window and the checksum
            for (long[] wider : new long[][] {{8, SIZE - 7}, {-1, 17}, {Long.MAX_VALUE, 16}}) {
                byte[] forged = resealed(form.clone(), range, wider[0], wider[1]);
                assertRefused(UrmaStatus.EINVAL, () -> codec.decode(MemorySegment.ofArray(forged)));
            }
            byte[] same = resealed(form.clone(), range, 8, 16);
            assertThat(codec.decode(MemorySegment.ofArray(same))).isEqualTo(part);
        }
    }

    private static byte[] resealed(byte[] form, int at, long first, long second) {
        ByteBuffer frame = ByteBuffer.wrap(form).putLong(at, first).putLong(at + Long.BYTES, second);
        CRC32C crc = new CRC32C();
        crc.update(form, 0, form.length - Integer.BYTES);
        return frame.putInt(form.length - Integer.BYTES, (int) crc.getValue()).array();
    }
}

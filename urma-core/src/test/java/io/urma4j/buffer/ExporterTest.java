package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.urma4j.Access;
import io.urma4j.Descriptors;
import io.urma4j.FakeGrants;
import io.urma4j.LocalSegment;
import io.urma4j.PeerId;
import io.urma4j.SharedMemory;
import io.urma4j.Urma;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.WindowKey;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** S14.19, S14.20, S14.30: which windows an export has, where pool and peer have several contexts. */
class ExporterTest {
    private static final int SLAB_BYTES = 8192;

    private final Urma urma = Urma.open();
    private final UrmaContext first = urma.device("fake0").openContext();
    private final UrmaContext second = urma.device("fake0").openContext();
    private final SharedMemory memory = first.allocate(SLAB_BYTES);

    @AfterEach
    void close() {
        urma.close();
    }

    private static Peer.Member member(String provider, int incarnation) {
        return new Peer.Member(provider, new PeerId(Descriptors.EID, 77, incarnation));
    }

    /** The second KiB of a slab that both contexts have registered. */
    private RdmaBuf leased(Access ofFirst) {
        LocalSegment one = first.register(memory, ofFirst);
        LocalSegment other = second.register(second.allocate(SLAB_BYTES), Access.READ_WRITE_ATOMIC);
        SlabMemory slab = new SlabMemory(
                memory.segment(), List.of(one, other), Access.READ_WRITE_ATOMIC, null, () -> false, () -> {});
        return RdmaBuf.lease(Block.partOf(slab, Block::endExports), 1024, 1024, LeakDetector.OFF);
    }

    @Test
    void eachCommonDeviceGrantsItsWindow() {
        Peer peer = new Peer(List.of(member("quantum", 1), member("fake", 2), member("fake", 3), member("fake", 4)));
        try (RdmaBuf buf = leased(Access.READ_WRITE_ATOMIC)) {
            RemoteBuf exported = buf.exportTo(peer, buf.view().subrange(16, 100), Access.READ_WRITE);

            assertThat(exported.size()).isEqualTo(100);
            assertThat(exported.windows()).extracting(RemoteBuf.Window::device).containsExactly(0, 1);
            assertThat(exported.windows()).extracting(RemoteBuf.Window::user).containsExactly(1, 2);
            assertThat(exported.windows())
                    .extracting(RemoteBuf.Window::key)
                    .containsExactly(
                            new WindowKey(-2, 0, 1, 1040, 100, Access.READ_WRITE),
                            new WindowKey(-3, 0, 1, 1040, 100, Access.READ_WRITE));
        }
        assertThat(FakeGrants.of(first)).hasSize(1).allMatch(FakeGrants.Fake::isTakenBack);
        assertThat(FakeGrants.of(second)).hasSize(1).allMatch(FakeGrants.Fake::isTakenBack);
    }

    @Test
    void placesOfOtherDevicesStayMissing() {
        Peer peer = new Peer(List.of(member("fake", 2)));
        try (RdmaBuf buf = leased(Access.READ_WRITE_ATOMIC)) {
            RemoteBuf exported = buf.exportTo(peer, buf.view(), Access.READ);
            assertThat(exported.windows()).extracting(RemoteBuf.Window::device).containsExactly(0);
        }
    }

    /** The first device has no windows. */
    @Test
    void deviceWithoutWindowsIsLeftOut() {
        Peer peer = new Peer(List.of(member("fake", 2)));
        try (RdmaBuf buf = leased(Access.LOCAL_ONLY)) {
            RemoteBuf exported = buf.exportTo(peer, buf.view(), Access.READ);
            assertThat(exported.windows()).extracting(RemoteBuf.Window::device).containsExactly(1);
            assertThat(exported.windows()).extracting(RemoteBuf.Window::user).containsExactly(0);
            assertThat(exported.window(0)).isEmpty();
            assertThat(RemoteBuf.parse(exported.toText())).isEqualTo(exported);
        }
    }

    @Test
    void refusalOfOneDeviceUndoesAll() {
        Peer peer = new Peer(List.of(member("fake", 2), member("fake", 3)));
        try (RdmaBuf buf = leased(Access.READ_WRITE_ATOMIC)) {
            FakeGrants.refuseNext(second, new UrmaException(UrmaStatus.ENOMEM, "card", "no window is left"));

            assertThatExceptionOfType(UrmaException.class)
                    .isThrownBy(() -> buf.exportTo(peer, buf.view(), Access.READ))
                    .withMessageContaining("device fake0 refused a window: no window is left")
                    .matches(refusal -> refusal.status() == UrmaStatus.ENOMEM);

            assertThat(FakeGrants.of(first)).hasSize(1).allMatch(FakeGrants.Fake::isTakenBack);
            assertThat(buf.exportTo(peer, buf.view(), Access.READ).windows()).hasSize(2);
            assertThat(FakeGrants.of(first).getLast().isTakenBack()).isFalse();
        }
    }

    @Test
    void peerOnOtherDevicesAloneIsRefused() {
        Peer peer = new Peer(List.of(member("quantum", 1)));
        try (RdmaBuf buf = leased(Access.READ_WRITE_ATOMIC)) {
            assertThatExceptionOfType(UrmaException.class)
                    .isThrownBy(() -> buf.exportTo(peer, buf.view(), Access.READ))
                    .withMessageContaining("cannot be exported to peer of [quantum]: it has no device in common");
            assertThat(FakeGrants.of(first)).isEmpty();
        }
    }

    @Test
    void peerIsTheIdentitiesOfItsContexts() {
        assertThat(Peer.of(first, second).contexts())
                .containsExactly(new Peer.Member("fake", first.peerId()), new Peer.Member("fake", second.peerId()));
    }
}

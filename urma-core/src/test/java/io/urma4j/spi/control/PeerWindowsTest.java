package io.urma4j.spi.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.urma4j.Access;
import io.urma4j.PeerId;
import io.urma4j.TokenPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Windows of peers by their identities, and the import that they permit (S14.32). */
class PeerWindowsTest {
    private static final PeerId PEER = new PeerId(Home.EID, 7, 1);
    private static final PeerId LATER = new PeerId(Home.EID, 7, 2);

    /** Of window keys for {@link #PEER}, of segment 6 of a home with incarnation 5. */
    private static final long NUMBER = -4225606259620150169L;

    private final List<String> revoked = new ArrayList<>();
    private boolean isEnded;
    private final PeerWindows windows = new PeerWindows(() -> isEnded);

    private PeerWindows.Window add(PeerId peer, String name) {
        return windows.add(peer, () -> window(() -> revoked.add(name))).orElseThrow();
    }

    private static PeerWindows.Window window(Runnable onRevoke) {
        return new PeerWindows.Window() {
            @Override
            public void revoke() {
                onRevoke.run();
            }
        };
    }

    @Test
    void windowsEndInAnyOrder() {
        List<PeerWindows.Window> made =
                Stream.of("a", "b", "c", "d").map(name -> add(PEER, name)).toList();

        windows.end(PEER, made.get(1));
        windows.end(PEER, made.get(3));
        windows.end(PEER, made.get(0));
        assertThat(windows.has(PEER)).isTrue();
        add(PEER, "e");
        windows.endOf(PEER);

        assertThat(revoked).startsWith("b", "d", "a").containsExactlyInAnyOrder("a", "b", "c", "d", "e");
        assertThat(windows.has(PEER)).isFalse();
    }

    @Test
    void aPeerHasAWindowUntilItsLastOneEnds() {
        var first = add(PEER, "first");
        var second = add(PEER, "second");
        assertThat(windows.has(LATER)).isFalse();

        windows.end(PEER, first);
        windows.end(PEER, first);
        assertThat(windows.has(PEER)).isTrue();
        windows.end(PEER, second);

        assertThat(windows.has(PEER)).isFalse();
        assertThat(revoked).containsExactly("first", "second");
    }

    @Test
    void theEndOfAPeerLeavesTheWindowsOfOthers() {
        var first = add(PEER, "first");
        add(LATER, "later");

        windows.endOf(PEER);
        windows.endOf(PEER);
        windows.end(PEER, first);

        assertThat(revoked).containsExactly("first");
        assertThat(windows.has(LATER)).isTrue();
    }

    @Test
    void chosenWindowsOfAPeerEndAndItsOthersStay() {
        var first = add(PEER, "first");
        var second = add(PEER, "second");
        add(LATER, "later");

        windows.endOf(PEER, window -> window.equals(second));
        assertThat(revoked).containsExactly("second");
        assertThat(windows.has(PEER)).isTrue();

        windows.endOf(PEER, window -> window.equals(first));
        assertThat(windows.has(PEER)).isFalse();
        assertThat(windows.has(LATER)).isTrue();
    }

    @Test
    void anEndedSegmentTakesNoWindow() {
        add(PEER, "first");
        isEnded = true;
        windows.endAll();

        assertThat(windows.add(PEER, () -> window(() -> {}))).isEmpty();
        assertThat(revoked).containsExactly("first");
        assertThat(windows.has(PEER)).isFalse();
    }

    @Test
    void aWindowOfAnOrdinarySegmentIsNoToken() {
        ExportedSegment<Home.Grant> segment = new Home().segment(1, 1, Access.READ, TokenPolicy.PLAIN_TEXT);
        segment.grant(PEER, "", () -> window(() -> {}));

        assertThat(ExportedSegment.opens(segment, PEER, null, Access.READ)).isFalse();
        assertThat(ExportedSegment.opens(segment, PEER, Home.TOKEN, Access.READ))
                .isTrue();
    }

    @Test
    void theNumberOfAWindowDependsOnPeerHomeAndSegment() {
        long number = WindowNumbers.ofPeer(PEER, 5, 6);

        assertThat(number).isNegative().isEqualTo(WindowNumbers.ofPeer(PEER, 5, 6));
        assertThat(number)
                .as("pinned: other versions compute it, too")
                .isEqualTo(NUMBER)
                .isNotEqualTo(WindowNumbers.ofPeer(LATER, 5, 6))
                .isNotEqualTo(WindowNumbers.ofPeer(new PeerId(Home.EID, 8, 1), 5, 6))
                .isNotEqualTo(WindowNumbers.ofPeer(PEER, 6, 6))
                .isNotEqualTo(WindowNumbers.ofPeer(PEER, 5, 7));
    }
}

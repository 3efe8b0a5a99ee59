package io.urma4j.tools.decode;

import io.urma4j.udma.capture.Datagram;
import io.urma4j.udma.capture.Unread;
import io.urma4j.udma.wire.Aeth;
import io.urma4j.udma.wire.Drop;
import io.urma4j.udma.wire.Header;
import io.urma4j.udma.wire.Opcodes;
import io.urma4j.udma.wire.Packet;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The totals of a capture. */
final class Summary {
    private long frames;
    private long spanNanos;
    private long packets;
    private long ofIpv4;
    private long wrong;
    private long notVerifiable;
    private long malformed;
    private long bundled;
    private long again;
    private long naks;
    private long notReady;
    private final Map<Unread, Long> unread = new EnumMap<>(Unread.class);

    void frame(long sinceStartNanos) {
        frames++;
        spanNanos = sinceStartNanos;
    }

    void packet(Datagram datagram, @Nullable Drop drop, boolean isIcrcKnown, boolean isAgain) {
        packets++;
        ofIpv4 += datagram.ip().isIpv4() ? 1 : 0;
        again += isAgain ? 1 : 0;
        notVerifiable += isIcrcKnown ? 0 : 1;
        if (drop == Drop.ICRC) {
            wrong++;
        } else if (drop != null) {
            malformed++;
        } else {
            answer(datagram.packet());
        }
    }

    /** Counts a frame that could not be read; null for one that is no RoCEv2. */
    void unread(@Nullable Unread why) {
        if (why != null) {
            unread.merge(why, 1L, Long::sum);
        }
    }

    /** Counts a packet of a bundle, or of fragments; these were counted before. */
    void bundled(Packet packet, boolean isAgain) {
        bundled++;
        again += isAgain ? 1 : 0;
        answer(packet);
    }

    private void answer(Packet packet) {
        if (Opcodes.has(packet.opcode(), Header.AETH)) {
            switch (Aeth.kind(Aeth.syndrome(packet.bytes(), packet.at(Header.AETH)))) {
                case NAK -> naks++;
                case RNR_NAK -> notReady++;
                case ACK, RESERVED -> {}
            }
        }
    }

    private long right() {
        return packets - wrong - malformed - notVerifiable;
    }

    /** Whether there was no frame at all, as in a file that is no capture. */
    boolean isEmpty() {
        return frames == 0;
    }

    /** Whether every packet was whole, and none wrong. */
    boolean isClean() {
        return wrong + malformed == 0;
    }

    String toText() {
        return String.format(
                        Locale.ROOT,
                        "%d frames in %.3f s, %d of RoCEv2 (%d IPv4, %d IPv6): ICRC right %d, wrong %d, malformed %d,"
                                + " not verifiable %d; in bundles or fragments %d, retransmitted %d, NAK %d, RNR NAK %d",
                        frames,
                        spanNanos / 1e9,
                        packets,
                        ofIpv4,
                        packets - ofIpv4,
                        right(),
                        wrong,
                        malformed,
                        notVerifiable,
                        bundled,
                        again,
                        naks,
                        notReady)
                + unreadText();
    }

    private String unreadText() {
        if (unread.isEmpty()) {
            return "";
        }
        String each = unread.entrySet().stream()
                .map(one -> one.getValue() + " " + one.getKey().text())
                .collect(Collectors.joining(", "));
        return System.lineSeparator() + "skipped: " + each;
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("frames", frames);
        map.put("spanNanos", spanNanos);
        map.put("packets", packets);
        map.put("ipv4", ofIpv4);
        map.put("ipv6", packets - ofIpv4);
        map.put("icrcRight", right());
        map.put("icrcWrong", wrong);
        map.put("icrcNotVerifiable", notVerifiable);
        map.put("malformed", malformed);
        map.put("inBundles", bundled);
        map.put("sentAgain", again);
        map.put("nak", naks);
        map.put("rnrNak", notReady);
        map.put("unreadCut", unread.getOrDefault(Unread.CUT, 0L));
        map.put("unreadFragments", unread.getOrDefault(Unread.FRAGMENT, 0L));
        map.put("unreadIpv4Options", unread.getOrDefault(Unread.IPV4_OPTIONS, 0L));
        map.put("unreadIpv6Extensions", unread.getOrDefault(Unread.IPV6_EXTENSIONS, 0L));
        return map;
    }
}

package io.urma4j.udma.wire;

import io.urma4j.libc.NativeMemory;
import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Invariant CRC: over all of a packet that no router may change, from the IP header to the padding (WIRE §8). The CRC-32
 * of Ethernet, stored with its low byte first. Allocates nothing. For one thread at a time.
 */
public final class Icrc {
    public static final int BYTES = 4;

    /** Right for an IPv4 packet whose identification is not known, see {@link #recover}; none such is right otherwise. */
    public static final int NOT_RECOVERED = -1;

    /** No sender of urma4j puts more packets into a run, which it numbers from 0 on in their IPv4 identification. */
    public static final int RUN_PACKETS = 64;

    /** In what {@link #recover} tells: the packet may not be fragmented. */
    public static final int DONT_FRAGMENT = 1 << 16;

    private static final int BEHIND_IPV4_ID = 14; // bytes of the IP header behind the identification
    private static final int UDP_BYTES = 8;

    private final CRC32 crc = new CRC32();

    /** What the ICRC must be. The byte that routers may change counts as all ones, whatever it is. */
    public int of(Packet packet, IpHeaders ip) {
        return ip.share(packet.lengthBytes(), crc) ^ shareOf(packet);
    }

    /** The part that does not depend on what is in front of the packet. */
    private int shareOf(Packet packet) {
        int length = packet.lengthBytes();
        ByteBuffer view = packet.view();
        int notices = view.get(Bth.NOTICES) & 0xFF;
        ByteBuffer elsewhere = packet.referredPayload();
        crc.reset();
        if (elsewhere != null) {
            int behind = packet.payloadAt() + elsewhere.remaining();
            crc.update(view.limit(packet.payloadAt()));
            crc.update(elsewhere);
            view.limit(length - BYTES).position(behind);
        }
        crc.update(view.limit(length - BYTES));
        view.clear();
        int value = (int) crc.getValue();
        return notices == 0 ? value : value ^ shareOfNotices(notices, length);
    }

    /** By how much it changes the CRC of a packet of that length when these bits of its {@link Bth#NOTICES} are flipped. */
    static int shareOfNotices(int bits, int packetBytes) {
        return CrcShift.on(bits, packetBytes - BYTES - Bth.NOTICES);
    }

    /** What the packet says. */
    public static int in(Packet packet) {
        return Integer.reverseBytes(Fields.u32(packet.bytes(), packet.lengthBytes() - BYTES));
    }

    public boolean isRight(Packet packet, IpHeaders ip) {
        return in(packet) == of(packet, ip);
    }

    /** Writes it into the packet. */
    void seal(Packet packet, IpHeaders ip) {
        NativeMemory bytes = packet.bytes();
        Fields.u32(bytes, packet.lengthBytes() - BYTES, Integer.reverseBytes(of(packet, ip)));
    }

    /**
     * Checks a packet as a plain socket shows it, without its IPv4 identification. Of a peer with a secret only the few
     * identifications are taken that urma4j sends; else a guessed ICRC would be right once in 2¹⁵ times.
     *
     * @param secret that the sender of the packet and we have agreed on; {@link IpHeaders#NO_SECRET} for none
     * @param likelyId saves the solving when it is right
     * @return why it is to be dropped: {@link Drop#ICRC}, or {@link Drop#NO_SECRET}; null when it is right
     */
    public @Nullable Drop check(Packet packet, IpHeaders ip, long secret, int likelyId) {
        int rest =
                shareOf(packet) ^ in(packet); // once: it is long, and a flood of wrong ones asks for it several times
        if (fits(packet, rest, ip, secret, likelyId)) {
            return null;
        }
        boolean isPlain = secret != IpHeaders.NO_SECRET && fits(packet, rest, ip, IpHeaders.NO_SECRET, likelyId);
        return isPlain ? Drop.NO_SECRET : Drop.ICRC;
    }

    private boolean fits(Packet packet, int rest, IpHeaders ip, long secret, int likelyId) {
        ip.secret(secret);
        if (!ip.isIpv4()) {
            return ip.share(packet.lengthBytes(), crc) == rest;
        }
        int id = recover(packet, rest, ip, likelyId, true);
        if (secret != IpHeaders.NO_SECRET) {
            return id != NOT_RECOVERED && id < RUN_PACKETS;
        }
        return id != NOT_RECOVERED || recover(packet, rest, ip, likelyId, false) != NOT_RECOVERED;
    }

    /**
     * Checks an IPv4 packet whose identification is unknown: a plain socket does not show it. The CRC is linear, so these
     * sixteen bits can be solved out of it; sixteen bits remain to tell right from wrong (WIRE §8.5).
     *
     * @param ip afterwards with the ID that was found
     * @param likelyId saves the solving when it is right
     * @return the ID, and {@link #DONT_FRAGMENT} when that was set; {@link #NOT_RECOVERED} for a wrong ICRC
     */
    public int recover(Packet packet, IpHeaders ip, int likelyId) {
        int rest = shareOf(packet) ^ in(packet); // once: it is long, and a flood of wrong ones asks for both
        int found = recover(packet, rest, ip, likelyId, true);
        return found != NOT_RECOVERED ? found | DONT_FRAGMENT : recover(packet, rest, ip, likelyId, false);
    }

    private int recover(Packet packet, int rest, IpHeaders ip, int likelyId, boolean dontFragment) {
        ip.ipv4Id(likelyId);
        ip.ipv4DontFragment(dontFragment);
        int difference = ip.share(packet.lengthBytes(), crc) ^ rest;
        if (difference == 0) {
            return likelyId;
        }
        int behind = BEHIND_IPV4_ID + UDP_BYTES + packet.lengthBytes() - BYTES;
        int id = CrcShift.back(difference, behind + 2); // and over the two bytes of the ID itself
        if (id >>> 16 != 0) {
            return NOT_RECOVERED;
        }
        int wireOrder = Short.toUnsignedInt(Short.reverseBytes((short) id)) ^ likelyId;
        ip.ipv4Id(wireOrder);
        return wireOrder;
    }
}

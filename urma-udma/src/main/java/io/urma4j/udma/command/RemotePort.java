package io.urma4j.udma.command;

/**
 * Where a peer takes packets.
 *
 * @param eidHigh its address as an EID, high half
 * @param udpPort that it listens on
 * @param secret that the ICRC of packets to it and from it covers; {@link #NO_SECRET} for that of RoCE
 * @param takesFragments whether a packet may reach it in fragments
 */
public record RemotePort(long eidHigh, long eidLow, int udpPort, long secret, boolean takesFragments) {
    /** The eight bytes of ones that the ICRC of RoCE begins with. */
    public static final long NO_SECRET = -1;

    /** A port that shares no secret with this one, and takes no fragments. */
    public RemotePort(long eidHigh, long eidLow, int udpPort) {
        this(eidHigh, eidLow, udpPort, NO_SECRET, false);
    }
}

package io.urma4j.udma.control;

import io.urma4j.Eid;
import io.urma4j.spi.control.ControlMessage.Hello;
import io.urma4j.spi.support.Timers;
import io.urma4j.udma.wire.IpHeaders;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A context that we have greeted, or that has greeted us: of another process, of this one, or this very context. One
 * object per incarnation as long as both know each other; who comes back is another one (S12.5).
 *
 * <p>Datagrams to us carry {@link #ownTag}, those to the peer carry {@link #peerTag}: who does not see our datagrams does
 * not know them, and cannot speak in the peer's name.
 */
public final class Peer {
    private final PortAddress address;
    private final long incarnation;
    private final int uasid;
    private final String process;
    private final long features;
    private final long secret;
    private final ConnectionEnd own;
    private final ConnectionEnd theirs;
    private volatile @Nullable String lost;

    final long ownTag;
    final long ownLife;
    final long peerTag;
    final long peerLife;

    // requests of ours
    final TreeMap<Long, Pending> pending = new TreeMap<>();
    final Deque<Pending> waiting = new ArrayDeque<>();
    long lastNumber;

    // requests of the peer
    final Map<Long, Given> answers = new HashMap<>();
    long floor = 1;

    long heardNanos;
    boolean pinging;
    boolean hasEvictedUs;
    Timers.@Nullable Timer look; // while it holds something and is not being pinged

    /** An answer of ours; without bytes while it is being found. */
    record Given(@Nullable ByteBuffer body) {}

    Peer(
            PortAddress address,
            Greeting theirs,
            long ownFeatures,
            long ownTag,
            long ownLife,
            ConnectionEnd own,
            long nowNanos) {
        Hello hello = theirs.hello();
        this.address = address;
        this.incarnation = hello.incarnation();
        this.uasid = hello.uasid();
        this.process = hello.address();
        this.features = hello.features();
        this.peerTag = theirs.tag();
        this.peerLife = theirs.life();
        this.theirs = theirs.half();
        this.ownTag = ownTag;
        this.ownLife = ownLife;
        this.own = own;
        this.heardNanos = nowNanos;
        boolean bothMixIn = (features & ownFeatures & PacketSecret.FEATURE) != 0;
        this.secret = bothMixIn ? PacketSecret.of(ownTag, peerTag) : IpHeaders.NO_SECRET;
    }

    public PortAddress address() {
        return address;
    }

    public Eid eid() {
        return address.eid();
    }

    public long incarnation() {
        return incarnation;
    }

    public int uasid() {
        return uasid;
    }

    /** Its process, in its own words. */
    public String process() {
        return process;
    }

    /** What it knows, as it said. */
    public long features() {
        return features;
    }

    /** What enters the ICRC of packets of connections with it; {@link IpHeaders#NO_SECRET} when it knows of none. */
    public long secret() {
        return secret;
    }

    /** Our end of the connection with it. */
    public ConnectionEnd own() {
        return own;
    }

    /** Its end of the connection. */
    public ConnectionEnd theirs() {
        return theirs;
    }

    /** Whether it is gone; it never comes back. */
    public boolean isLost() {
        return lost != null;
    }

    /** Why it is gone; null while it is not. */
    public @Nullable String whyLost() {
        return lost;
    }

    /** Whether it dropped us while nothing was shared with it: what was asked of it can be asked again after a greeting. */
    public boolean hasEvictedUs() {
        return hasEvictedUs;
    }

    void cancelLook() {
        if (look != null) {
            look.cancel();
            look = null;
        }
    }

    void markLost(String why) {
        lost = why;
    }

    /** Whether a request with this number can be one of the peer's now: not over, and within its window. */
    boolean mayAsk(long number) {
        return number >= floor && number - floor < ControlPlane.WINDOW;
    }

    /** The peer has all answers below. */
    void raiseFloor(long next) {
        if (next > floor && next - floor <= ControlPlane.WINDOW) {
            floor = next;
            answers.keySet().removeIf(number -> number < next);
        }
    }

    @Override
    public String toString() {
        return "uasid " + uasid + " (" + process + ") at " + address;
    }
}

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
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A context that this one has greeted, or that has greeted it: of another process, of this one, or this very context. There
 * is one object per incarnation while both know each other; a restarted peer is another one (S12.5).
 *
 * <p>Datagrams to this context carry {@link #ownTag}, those to the peer carry {@link #peerTag}. A host that does not see
 * these datagrams does not know the tags, and cannot impersonate the peer.
 */
public final class Peer {
    private final PortAddress address;
    private final Greeting greeting; // the peer's
    private final Hello hello; // in it
    private final long secret;
    private final boolean takesFragments;
    private final int mtuBytes;
    private final ConnectionEnd own;
    private volatile @Nullable String lost;
    private volatile boolean isGone;

    final long ownTag;
    final long ownLife;
    final long peerTag;
    final long peerLife;

    // requests of this context
    final TreeMap<Long, Pending> pending = new TreeMap<>();
    final Deque<Pending> waiting = new ArrayDeque<>();
    long lastNumber;

    // requests of the peer
    final Map<Long, @Nullable ByteBuffer> answers = new HashMap<>(); // null while one is being computed
    long floor = 1;

    long heardNanos;
    boolean pinging;
    boolean hasEvictedUs;
    Timers.@Nullable Timer look; // while it holds something and is not being pinged

    /**
     * A request of this context without an answer.
     *
     * @param givesBack whether it is sent also for a caller that waits no more
     * @param unclaimed takes an answer that gives something to a caller that waits no more; null if no answer gives anything
     */
    record Pending(
            long number,
            String what,
            boolean givesBack,
            ByteBuffer body,
            Retransmission retransmission,
            CompletableFuture<PeerMessage> answer,
            @Nullable Consumer<PeerMessage> unclaimed) {}

    Peer(
            PortAddress address,
            Greeting greeting,
            long ownFeatures,
            long ownTag,
            long ownLife,
            ConnectionEnd own,
            long nowNanos) {
        this.address = address;
        this.greeting = greeting;
        this.hello = greeting.hello();
        this.peerTag = greeting.tag();
        this.peerLife = greeting.life();
        this.ownTag = ownTag;
        this.ownLife = ownLife;
        this.own = own;
        this.heardNanos = nowNanos;
        long common = hello.features() & ownFeatures;
        this.secret = (common & PacketSecret.FEATURE) != 0 ? PacketSecret.of(ownTag, peerTag) : IpHeaders.NO_SECRET;
        this.takesFragments = (common & LongPackets.FRAGMENTS) != 0;
        this.mtuBytes = LongPackets.agreed(
                common, Math.min(own.mtuBytes(), greeting.half().mtuBytes()));
    }

    public PortAddress address() {
        return address;
    }

    public Eid eid() {
        return address.eid();
    }

    public long incarnation() {
        return hello.incarnation();
    }

    public int uasid() {
        return hello.uasid();
    }

    /** Whether it proved, by its address and port, that the incarnation is its own. */
    public boolean provesIncarnation() {
        return PortIncarnation.isOf(hello.incarnation(), address);
    }

    /** Its process, as the peer describes it. */
    public String process() {
        return hello.address();
    }

    /** The features in its greeting. */
    public long features() {
        return hello.features();
    }

    /** The secret in the ICRC of packets of connections with it; {@link IpHeaders#NO_SECRET} if it supports none. */
    public long secret() {
        return secret;
    }

    /** The path MTU of connections with it: what both ends support. */
    public int mtuBytes() {
        return mtuBytes;
    }

    /** Whether packets of connections may reach it in fragments. */
    public boolean takesFragments() {
        return takesFragments;
    }

    /** This context's end of the connection. */
    public ConnectionEnd own() {
        return own;
    }

    /** The peer's end of the connection. */
    public ConnectionEnd theirs() {
        return greeting.half();
    }

    /** Whether this context has lost it: the peer is {@linkplain #isGone gone}, or was dropped. Final: one that greets again is another. */
    public boolean isLost() {
        return lost != null;
    }

    /** Why this context has lost it; null while it has not. */
    public @Nullable String whyLost() {
        return lost;
    }

    /**
     * Whether its context is gone: it said goodbye, is dead, or does not answer. A peer that is lost for another reason, as one
     * that was idle, may live on and greet again.
     */
    public boolean isGone() {
        return isGone;
    }

    /** Whether it evicted this context while nothing was shared: requests can be repeated after a greeting. */
    public boolean hasEvictedUs() {
        return hasEvictedUs;
    }

    void cancelLook() {
        if (look != null) {
            look.cancel();
            look = null;
        }
    }

    void markLost(String why, boolean gone) {
        isGone = gone;
        lost = why;
    }

    /** Whether a request of this context with this number is within the window. */
    boolean admits(long number) {
        return pending.isEmpty() || number - pending.firstKey() < ControlPlane.WINDOW;
    }

    /** This context waits for no answer below. */
    long ownFloor() {
        return pending.isEmpty() ? lastNumber + 1 : pending.firstKey();
    }

    /** Whether the peer holds anything, may soon, or has pending requests: it is not dropped then. */
    boolean holds(PeerEvents events) {
        return !pending.isEmpty() || events.holds(this) || events.hasGrants(this);
    }

    /** Whether a request with this number can be valid now: not finished, and within the peer's window. */
    boolean mayAsk(long number) {
        return number >= floor && number - floor < ControlPlane.WINDOW;
    }

    /** The peer waits for no answer below. */
    void raiseFloor(long next) {
        if (next > floor) { // by more than a window, if the peer gave up requests of which none arrived
            floor = next;
            answers.keySet().removeIf(number -> number < next);
        }
    }

    @Override
    public String toString() {
        return "uasid " + uasid() + " (" + process() + ") at " + address;
    }
}

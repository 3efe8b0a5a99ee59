package io.urma4j.simulation;

import io.urma4j.udma.command.CardConnectionConfig;

/** Two RC Jetties that are connected, and connected again after one has failed. */
final class Pair {
    /** Neither end knows that its peer is urma4j, so both speak plain RoCE. */
    final boolean isForeign;

    private final World world;
    private SendSide one;
    private SendSide other;
    private int oneConnection;
    private int otherConnection;
    private int times; // how often it was connected
    private boolean up;
    private boolean oneDrained;
    private boolean otherDrained;

    Pair(World world, SendSide one, SendSide other, boolean isForeign) {
        this.world = world;
        this.isForeign = isForeign;
        this.one = one;
        this.other = other;
        connect();
    }

    boolean isUp() {
        return up;
    }

    SendSide peerOf(SendSide side) {
        return side == one ? other : one;
    }

    private void connect() {
        int onePsn = world.newPsn();
        int otherPsn = world.newPsn();
        oneConnection = connect(one, other, onePsn, otherPsn);
        otherConnection = connect(other, one, otherPsn, onePsn);
        one.pair = this;
        other.pair = this;
        times++;
        up = true;
        oneDrained = false;
        otherDrained = false;
        one.isReadyAgain();
        other.isReadyAgain();
        world.trace.say("net", "connects %s and %s%s", one, other, isForeign ? ", which do not know each other" : "");
    }

    private int connect(SendSide from, SendSide to, int sendPsn, int receivePsn) {
        int reads = world.scenario.reads();
        from.life.watch(from.number(), to.life, to.number(), sendPsn, false, isForeign);
        int connection = from.life.card.connectRc(
                from.handle,
                CardConnectionConfig.builder(
                                from.life.portOf(
                                        isForeign
                                                ? from.life.routeTo(to.life.machine.index)
                                                : from.life.routeTo(to.life)),
                                to.number())
                        .mtuBytes(isForeign ? world.scenario.mtuBytes() : world.scenario.longMtuBytes())
                        .psns(sendPsn, receivePsn)
                        .reads(reads, reads)
                        .windowPackets(world.scenario.windowPackets())
                        .urma4j(!isForeign)
                        .peer(Link.peer(to.life))
                        .build(),
                world.time.now());
        from.life.connections.add(connection);
        return connection;
    }

    /**
     * One queue has flushed all that was posted. The other is failed, too; when no packet is in flight any more, both
     * begin anew.
     */
    void isDrained(SendSide side) {
        if (up) {
            up = false;
            SendSide peer = peerOf(side);
            if (!peer.life.isDead) {
                peer.fail();
            }
        }
        oneDrained |= side == one;
        otherDrained |= side == other;
        if ((oneDrained || one.life.isDead) && (otherDrained || other.life.isDead)) {
            oneDrained = false;
            otherDrained = false;
            int before = times;
            world.time.after(world.network.longestDelayNanos(), () -> reconnect(before));
        }
    }

    /** Connects again, unless the pair was connected since {@code times} was {@code before}. */
    private void reconnect(int before) {
        if (times != before) {
            return;
        }
        if (one.life.machine.isPaused() || other.life.machine.isPaused()) {
            world.time.after(world.network.longestDelayNanos() + 50_000_000, () -> reconnect(before));
            return;
        }
        if (one.life.isDead || other.life.isDead) {
            return; // the life that replaces the dead one connects
        }
        one.life.card.disconnectRc(one.handle, world.time.now());
        other.life.card.disconnectRc(other.handle, world.time.now());
        connect();
        one.life.arm(0);
        other.life.arm(0);
    }

    /** The process of one end has died, and its peer learns of it. */
    void lost(SendSide dead, SendSide heir) {
        SendSide survivor = peerOf(dead);
        int connection = survivor == one ? oneConnection : otherConnection;
        if (up) {
            up = false;
            survivor.life.card.peerLost(connection, world.time.now());
            survivor.life.arm(0);
        }
        boolean isOne = dead == one;
        world.time.after(world.network.longestDelayNanos() + 100_000_000, () -> replace(isOne, heir));
    }

    private void replace(boolean isOne, SendSide heir) {
        SendSide survivor = isOne ? other : one;
        if (!survivor.isIdle() || survivor.life.machine.isPaused() || heir.life.machine.isPaused()) {
            survivor.fail();
            world.time.after(50_000_000, () -> replace(isOne, heir));
            return;
        }
        survivor.life.card.disconnectRc(survivor.handle, world.time.now());
        if (isOne) {
            one = heir;
        } else {
            other = heir;
        }
        connect();
        one.life.arm(0);
        other.life.arm(0);
    }
}

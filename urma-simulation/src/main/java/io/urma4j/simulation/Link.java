package io.urma4j.simulation;

import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.CardConnectionConfig;
import io.urma4j.udma.command.PeerInfo;
import java.util.HashMap;
import java.util.Map;

/**
 * The connection shared by all RM queues of two processes, with the targets that each has created of the other's
 * queues.
 */
final class Link {
    private final World world;
    private final End one;
    private final End other;
    private boolean up = true;

    /** The state of one of the two processes. */
    private static final class End {
        final Life life;
        int connection;
        int memoryTarget;
        final Map<Integer, Integer> targets = new HashMap<>(); // by the number of the peer's queue

        End(Life life) {
            this.life = life;
        }
    }

    Link(World world, Life one, Life other) {
        this.world = world;
        this.one = new End(one);
        this.other = new End(other);
        connect();
    }

    private void connect() {
        int oneNumber = CardCommands.FIRST_CONNECTION + world.newNumber();
        int otherNumber = CardCommands.FIRST_CONNECTION + world.newNumber();
        int onePsn = world.newPsn();
        int otherPsn = world.newPsn();
        connect(one, other.life, oneNumber, otherNumber, onePsn, otherPsn);
        connect(other, one.life, otherNumber, oneNumber, otherPsn, onePsn);
        one.life.links.put(other.life.machine.index, this);
        other.life.links.put(one.life.machine.index, this);
        world.trace.say("net", "links %s and %s", one.life, other.life);
    }

    private void connect(End end, Life peer, int number, int peerNumber, int sendPsn, int receivePsn) {
        int reads = world.scenario.reads();
        end.life.watch(number, peer, peerNumber, sendPsn, true, false);
        end.connection = end.life.card.connect(
                CardConnectionConfig.builder(end.life.portOf(end.life.routeTo(peer)), peerNumber)
                        .mtuBytes(world.scenario.longMtuBytes())
                        .number(number)
                        .psns(sendPsn, receivePsn)
                        .reads(reads, reads)
                        .windowPackets(world.scenario.windowPackets())
                        .peer(peer(peer))
                        .build(),
                world.time.now());
        end.life.connections.add(end.connection);
        end.memoryTarget = end.life.card.createMemoryTarget(end.connection);
    }

    /** The identity of a peer for a card: it is unique for each life. */
    static PeerInfo peer(Life life) {
        return new PeerInfo(1 + life.machine.index + 100 * life.number, 1 + life.machine.index, 1);
    }

    boolean isUp() {
        return up;
    }

    boolean joins(Life a, Life b) {
        return one.life == a && other.life == b || one.life == b && other.life == a;
    }

    private End of(Life life) {
        return life == one.life ? one : other;
    }

    int memoryTarget(Life from) {
        return of(from).memoryTarget;
    }

    int target(Life from, int number) {
        End end = of(from);
        return end.targets.computeIfAbsent(number, to -> from.card.createTarget(end.connection, to));
    }

    /**
     * One of the two has died, and the other learns of it: its requests to the dead one fail, and then the link is
     * removed.
     */
    void lost(Life dead) {
        End end = of(dead) == one ? other : one;
        up = false;
        end.life.card.peerLost(end.connection, world.time.now());
        end.life.arm(0);
        world.time.after(10_000_000, () -> remove(end, dead));
    }

    private void remove(End end, Life dead) {
        Life life = end.life;
        if (life.isDead) {
            return;
        }
        if (life.machine.isPaused() || life.sends.stream().anyMatch(side -> side.mayHaveOpenTowards(dead))) {
            world.time.after(10_000_000, () -> remove(end, dead));
            return;
        }
        life.card.destroyTarget(end.memoryTarget);
        end.targets.values().forEach(life.card::destroyTarget);
        life.card.disconnect(end.connection);
        life.links.remove(dead.machine.index, this);
        Life heir = dead.machine.life;
        new Link(world, life, heir);
        world.time.after(0, () -> {
            life.step();
            heir.step();
        });
    }
}

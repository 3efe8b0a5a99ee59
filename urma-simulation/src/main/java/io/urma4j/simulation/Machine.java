package io.urma4j.simulation;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** A host with an address: a socket in which packets wait, and the process that lives there now. */
final class Machine {
    /** As a small receive buffer of a kernel: what comes when it is full is dropped. */
    private static final int SOCKET_PACKETS = 512;

    final int index;
    private final World world;
    private final ArrayDeque<Arrival> socket = new ArrayDeque<>();
    private int lives;
    private long pausedUntil;
    private boolean drains;
    Life life;

    private record Arrival(SimulatedRoute route, MemorySegment bytes) {}

    Machine(World world, int index) {
        this.world = world;
        this.index = index;
        this.life = new Life(world, this, lives++);
    }

    static String name(int index) {
        return String.valueOf((char) ('A' + index));
    }

    /** A packet reaches the socket. */
    void arrive(SimulatedRoute route, MemorySegment bytes) {
        if (socket.size() >= SOCKET_PACKETS) {
            world.trace.say(name(index), "has no room in its socket");
            return;
        }
        socket.add(new Arrival(route, bytes));
        if (!drains) {
            drains = true;
            // a few may come before the thread that reads them has the processor
            world.time.at(Math.max(pausedUntil, world.time.now() + world.random.nextLong(2_000)), this::drain);
        }
    }

    private void drain() {
        if (isPaused()) {
            world.time.at(pausedUntil, this::drain);
            return;
        }
        drains = false;
        Arrival arrival;
        while ((arrival = socket.poll()) != null) {
            life.receive(arrival.bytes, arrival.route);
        }
        life.step();
    }

    boolean isPaused() {
        return world.time.now() < pausedUntil;
    }

    long pausedUntil() {
        return pausedUntil;
    }

    /** The machine does nothing for a while; input comes before timers then. */
    void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, world.time.now() + nanos);
        world.trace.say(name(index), "is paused for %.3f ms", nanos / 1e6);
        world.time.at(pausedUntil, () -> {
            if (!isPaused()) {
                drain();
            }
        });
    }

    /** The process ends, without a word to anybody, and another one begins. */
    Life restart() {
        world.trace.say(name(index), "is killed, and starts anew");
        life.isDead = true;
        life = new Life(world, this, lives++);
        return life;
    }

    @Override
    public String toString() {
        return name(index);
    }
}

package io.urma4j.simulation;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** A host with an address: a socket in which packets wait, and its current process. */
final class Machine {
    /** The limit of the socket, like a small receive buffer of a kernel: more packets are dropped. */
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
            // a few packets may arrive before the reading thread gets a CPU
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

    /** Stops the machine for a while. Afterwards it processes input before timers. */
    void pause(long nanos) {
        pausedUntil = Math.max(pausedUntil, world.time.now() + nanos);
        world.trace.say(name(index), "is paused for %.3f ms", nanos / 1e6);
        world.time.at(pausedUntil, () -> {
            if (!isPaused()) {
                drain();
            }
        });
    }

    /** The process is killed without notice to any peer, and a new one begins. */
    Life restart() {
        world.trace.say(name(index), "is killed, and restarts");
        life.isDead = true;
        life = new Life(world, this, lives++);
        return life;
    }

    @Override
    public String toString() {
        return name(index);
    }
}

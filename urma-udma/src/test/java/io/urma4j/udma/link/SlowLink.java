package io.urma4j.udma.link;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Two namespaces with a slow link between them: the kernel's token bucket makes it narrow, in each direction, and this
 * process makes it long: it takes packets out of one interface and hands them to the other some time later.
 */
final class SlowLink implements AutoCloseable {
    static final String LEFT = "198.18.7.1"; // of the block that is for such tests (RFC 2544)
    static final String RIGHT = "198.18.7.2";

    private static final String LEFT_INTERFACE = "left";
    private static final String RIGHT_INTERFACE = "right";
    private static final int MTU_BYTES = 1500;
    private static final int PATIENCE_MILLIS = 50;

    private final NetworkNamespace left;
    private final NetworkNamespace right;
    private final Tun leftEnd;
    private final Tun rightEnd;
    private final List<Thread> threads;
    private final AtomicLong packets = new AtomicLong();
    private volatile boolean closed;

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Delayed(byte[] packet, long dueNanos) {}

    private SlowLink(NetworkNamespace left, NetworkNamespace right, Tun leftEnd, Tun rightEnd, long delayNanos) {
        this.left = left;
        this.right = right;
        this.leftEnd = leftEnd;
        this.rightEnd = rightEnd;
        BlockingQueue<Delayed> toRight = new LinkedBlockingQueue<>();
        BlockingQueue<Delayed> toLeft = new LinkedBlockingQueue<>();
        this.threads = List.of(
                Thread.ofPlatform().daemon().name("left in").start(() -> take(leftEnd, toRight, delayNanos)),
                Thread.ofPlatform().daemon().name("right out").start(() -> give(toRight, rightEnd)),
                Thread.ofPlatform().daemon().name("right in").start(() -> take(rightEnd, toLeft, delayNanos)),
                Thread.ofPlatform().daemon().name("left out").start(() -> give(toLeft, leftEnd)));
    }

    /**
     * Makes it.
     *
     * @param rate as tc takes it
     * @param delayMillis in each direction
     */
    static SlowLink open(String rate, int delayMillis) throws IOException, InterruptedException {
        NetworkNamespace left = NetworkNamespace.open();
        NetworkNamespace right = NetworkNamespace.open();
        Tun leftEnd = Tun.open(left, LEFT_INTERFACE, LEFT, RIGHT, MTU_BYTES);
        Tun rightEnd = Tun.open(right, RIGHT_INTERFACE, RIGHT, LEFT, MTU_BYTES);
        narrow(left, LEFT_INTERFACE, rate);
        narrow(right, RIGHT_INTERFACE, rate);
        return new SlowLink(left, right, leftEnd, rightEnd, TimeUnit.MILLISECONDS.toNanos(delayMillis));
    }

    private static void narrow(NetworkNamespace namespace, String name, String rate) {
        namespace.run(
                "tc", "qdisc", "add", "dev", name, "root", "tbf", "rate", rate, "burst", "16kb", "latency", "100ms");
    }

    private void take(Tun from, BlockingQueue<Delayed> queue, long delayNanos) {
        while (!closed) {
            byte[] packet = from.read(PATIENCE_MILLIS);
            if (packet != null) {
                packets.incrementAndGet();
                queue.add(new Delayed(packet, System.nanoTime() + delayNanos));
            }
        }
    }

    private void give(BlockingQueue<Delayed> queue, Tun to) {
        while (!closed) {
            try {
                Delayed next = queue.poll(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
                if (next != null) {
                    long delayNanos = next.dueNanos - System.nanoTime();
                    while (delayNanos > 0) {
                        LockSupport.parkNanos(delayNanos);
                        delayNanos = next.dueNanos - System.nanoTime();
                    }
                    to.write(next.packet);
                }
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    NetworkNamespace left() {
        return left;
    }

    NetworkNamespace right() {
        return right;
    }

    /** How many have entered it so far, in both directions. */
    long packets() {
        return packets.get();
    }

    @Override
    public void close() {
        closed = true;
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return; // the ends are used still; they end with this process
        }
        leftEnd.close();
        rightEnd.close();
        left.close();
        right.close();
    }
}

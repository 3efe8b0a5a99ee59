package io.urma4j.peers;

import io.aeron.Aeron;
import io.aeron.FragmentAssembler;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Work;
import io.urma4j.bench.compare.end.Link;
import io.urma4j.bench.compare.end.MessageLoops;
import io.urma4j.bench.compare.end.Participant;
import io.urma4j.bench.compare.end.Tally;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;
import org.agrona.CloseHelper;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Aeron, IPC and UDP. The media driver is in the home's process, and over UDP in the leader's too; its threading mode is
 * the system property {@code urma.aeron.driver}: INVOKER, SHARED or DEDICATED. Everything is made anew for each task.
 */
public final class AeronEnd implements Participant {
    private static final int THERE = 1001;
    private static final int BACK = 1002;
    private static final int CONNECTIONS = 20;
    private static final int POLLS_PER_LOOK = 1024;
    private static final int LEAST_TERM = 1 << 20;
    private static final int LARGE_TERM = 32 << 20;
    private static final int LARGEST_MTU = 65_504 / 32 * 32;
    private static final ThreadingMode MODE = ThreadingMode.valueOf(System.getProperty("urma.aeron.driver", "INVOKER"));

    private final Path folder = Path.of(System.getProperty("urma.folder"));
    private int port;

    @Override
    public String version() {
        return io.aeron.AeronVersion.VERSION;
    }

    /** A port for what comes back. */
    @Override
    public String address(Task task) throws Exception {
        port = freePort();
        return String.valueOf(port);
    }

    private static int freePort() throws Exception {
        try (DatagramSocket socket = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Override
    public Serving serve(Task task, String leaderAddress) throws Exception {
        boolean ipc = task.reach() == Reach.MEMORY;
        int mine = freePort();
        Node node = new Node(folder.resolve("aeron-home"), task, true);
        Subscription in = node.aeron.addSubscription(channel(task, mine), THERE);
        Publication out = node.aeron.addPublication(channel(task, Integer.parseInt(leaderAddress)), BACK);
        return new Serving() {
            @Override
            public String address() {
                return ipc ? node.directory() : String.valueOf(mine);
            }

            @Override
            public void run(BooleanSupplier told) {
                try (node) {
                    AeronLink link = new AeronLink(node, out, in, task.bytes());
                    if (link.awaitConnection(told)) {
                        serve(link, task, told);
                    }
                    while (!told.getAsBoolean()) {
                        link.poll(number -> {}); // what was sent last may need us
                    }
                }
            }
        };
    }

    @Override
    public Tally lead(Task task, long nanos, String homeAddress) throws Exception {
        boolean ipc = task.reach() == Reach.MEMORY;
        Path directory = ipc ? Path.of(homeAddress) : folder.resolve("aeron-leader");
        try (Node node = new Node(directory, task, !ipc)) {
            Subscription in = node.aeron.addSubscription(channel(task, port), BACK);
            Publication out =
                    node.aeron.addPublication(channel(task, ipc ? 0 : Integer.parseInt(homeAddress)), THERE);
            AeronLink link = new AeronLink(node, out, in, task.bytes());
            if (!link.awaitConnection(() -> false)) {
                throw new IllegalStateException("the publications did not connect");
            }
            return task.work() == Work.CONNECT
                    ? connect(node, in, out.channel(), task)
                    : new MessageLoops(link).lead(task, nanos);
        }
    }

    private static void serve(AeronLink link, Task task, BooleanSupplier told) {
        if (task.work() != Work.CONNECT) {
            new MessageLoops(link).serve(task, told);
            return;
        }
        while (!told.getAsBoolean()) {
            for (int i = 0; i < POLLS_PER_LOOK; i++) {
                if (link.poll(number -> {}) > 0) {
                    while (!link.offer(0)) {
                        Thread.onSpinWait();
                    }
                }
            }
        }
    }

    /** From a client that runs to the answer to the first message on a publication of its own. */
    private static Tally connect(Node node, Subscription in, String channel, Task task) {
        Histogram times = new Histogram(60_000_000_000L, 3);
        for (int i = 0; i < CONNECTIONS; i++) {
            long start = System.nanoTime();
            try (Publication fresh = node.aeron.addExclusivePublication(channel, THERE)) {
                AeronLink link = new AeronLink(node, fresh, in, task.bytes());
                while (!link.offer(i)) {
                    link.checkPatience(start);
                }
                while (link.poll(number -> {}) == 0) {
                    link.checkPatience(start);
                }
                times.recordValue(System.nanoTime() - start);
            }
        }
        return Tally.of(times, 1);
    }

    /** Sixteen messages, but no more memory than is made ready in a moment: eight are the fewest that Aeron takes. */
    private static int term(Task task) {
        return Math.max(LEAST_TERM, Math.min(LARGE_TERM, Integer.highestOneBit(16 * task.bytes())));
    }

    private static int udpTerm(Task task) {
        return Math.min(LARGE_TERM, 4 * term(task));
    }

    private static String channel(Task task, int port) {
        return task.reach() == Reach.MEMORY
                ? "aeron:ipc?term-length=" + term(task)
                : "aeron:udp?endpoint=127.0.0.1:" + port + "|term-length=" + udpTerm(task) + "|mtu=" + mtu(task)
                        + "|so-sndbuf=4m|so-rcvbuf=4m|rcv-wnd=2m";
    }

    /** The largest that loopback carries where much is sent; small packets for small messages. */
    private static int mtu(Task task) {
        return task.bytes() <= 1024 ? 1408 : LARGEST_MTU;
    }

    /** A driver, unless it is another's, and its client. */
    private static final class Node implements AutoCloseable {
        final Aeron aeron;
        private final MediaDriver driver;

        Node(Path directory, Task task, boolean hasDriver) {
            MediaDriver.Context context = new MediaDriver.Context()
                    .aeronDirectoryName(directory.toString())
                    .dirDeleteOnStart(true)
                    .dirDeleteOnShutdown(true)
                    .termBufferSparseFile(false)
                    .ipcMtuLength(LARGEST_MTU)
                    .socketSndbufLength(4 << 20)
                    .socketRcvbufLength(4 << 20)
                    .initialWindowLength(2 << 20)
                    .threadingMode(MODE)
                    .conductorIdleStrategy(new BackoffIdleStrategy())
                    .sharedIdleStrategy(new NoOpIdleStrategy())
                    .senderIdleStrategy(new NoOpIdleStrategy())
                    .receiverIdleStrategy(new NoOpIdleStrategy());
            driver = hasDriver ? MediaDriver.launch(context) : null;
            Aeron.Context client = new Aeron.Context().aeronDirectoryName(directory.toString());
            if (driver != null && MODE == ThreadingMode.INVOKER) {
                client.driverAgentInvoker(driver.sharedAgentInvoker());
            }
            client.useConductorAgentInvoker(MODE == ThreadingMode.INVOKER && driver != null);
            aeron = Aeron.connect(client);
        }

        String directory() {
            return aeron.context().aeronDirectoryName();
        }

        /** The driver's work, where it is ours to do. */
        void turn() {
            if (driver != null && MODE == ThreadingMode.INVOKER) {
                driver.sharedAgentInvoker().invoke();
            }
        }

        /** The same, and the client's, which is rarely needed. */
        void turnAll() {
            turn();
            if (aeron.conductorAgentInvoker() != null) {
                aeron.conductorAgentInvoker().invoke();
            }
        }

        @Override
        public void close() {
            CloseHelper.quietCloseAll(aeron, driver);
        }
    }

    /** Messages by offer, a copy, and by a handler that sees them in place. */
    private static final class AeronLink implements Link {
        private static final int FRAGMENTS = 64;
        private static final long PATIENCE_NANOS = 10_000_000_000L;
        private static final int TURNS_OF_ALL = 1 << 12;

        private final Node node;
        private final Publication out;
        private final Subscription in;
        private final UnsafeBuffer message;
        private final FragmentAssembler assembler = new FragmentAssembler((buffer, offset, length, header) ->
                take(buffer, offset, length));
        private final boolean isUdp;
        private LongConsumer sink = number -> {};
        private int taken;
        private int turns;

        AeronLink(Node node, Publication out, Subscription in, int bytes) {
            this.node = node;
            this.out = out;
            this.in = in;
            this.message = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes));
            this.isUdp = out.channel().startsWith("aeron:udp");
        }

        boolean awaitConnection(BooleanSupplier told) {
            long start = System.nanoTime();
            while (!out.isConnected() || !in.isConnected()) {
                node.turnAll();
                if (told.getAsBoolean() || System.nanoTime() - start > PATIENCE_NANOS) {
                    return false;
                }
                Thread.onSpinWait();
            }
            return true;
        }

        void checkPatience(long start) {
            node.turnAll();
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new IllegalStateException("nothing came for 10 s");
            }
        }

        @Override
        public boolean offer(long number) {
            message.putLong(0, number);
            if (out.offer(message) > 0) {
                if (isUdp) {
                    node.turn(); // off it goes
                }
                return true;
            }
            node.turnAll();
            return false;
        }

        @Override
        public int poll(LongConsumer arrived) {
            if (++turns % TURNS_OF_ALL == 0) {
                node.turnAll();
            } else if (isUdp) {
                node.turn();
            }
            sink = arrived;
            taken = 0;
            in.poll(assembler, FRAGMENTS);
            return taken;
        }

        private void take(DirectBuffer buffer, int offset, int length) {
            if (length != message.capacity()) {
                throw new IllegalStateException("a message of " + length + " bytes");
            }
            taken++;
            sink.accept(buffer.getLong(offset));
        }
    }
}

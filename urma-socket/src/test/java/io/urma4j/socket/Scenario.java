package io.urma4j.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A random program on the channels and selectors of one provider, by its seed. It notes what each step returned or threw, so
 * that two providers can be compared. Ports are noted by the channel that has them.
 */
@SuppressWarnings("ReferenceEquality") // whether two views lead to one channel
final class Scenario implements AutoCloseable {
    private static final int STEPS = 80;
    private static final int MAX_CHANNELS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** How many connections of all programs went through rings. */
    static final LongAdder OVER_RINGS = new LongAdder();

    /** How many connections of all programs were TCP, though their provider has rings. */
    static final LongAdder OVER_TCP = new LongAdder();

    /** Why they were. */
    static final Map<FallbackReason, Integer> REASONS = new ConcurrentHashMap<>();

    /** Those that run just now. */
    private static final Set<Scenario> RUNNING = ConcurrentHashMap.newKeySet();

    private final SelectorProvider provider;
    private final long seed;
    private final long beganNanos = System.nanoTime();
    private final Random random;
    private final InetSocketAddress loopback;
    private final List<String> notes = new ArrayList<>();
    private final List<SelectableChannel> channels = new ArrayList<>();
    private final List<Selector> selectors = new ArrayList<>();

    private final boolean overRings;

    private Scenario(SelectorProvider provider, long seed, boolean overRings) {
        this.provider = provider;
        this.seed = seed;
        this.overRings = overRings;
        this.random = new Random(seed);
        this.loopback = loopback(seed);
    }

    /** An address for each program: a port of one address is in use for a minute, and the kernel looks for a free one among all. */
    private static InetSocketAddress loopback(long seed) {
        byte[] address = {127, (byte) (seed >> 16 & 0x7f), (byte) (seed >> 8), (byte) (1 + (seed & 0x7f))};
        try {
            return new InetSocketAddress(InetAddress.getByAddress(address), 0);
        } catch (UnknownHostException e) {
            throw new AssertionError(e); // it has four bytes
        }
    }

    /**
     * {@code overRings} for a program that spares what rings do not imitate: OP_CONNECT of a connection, which the JDK reports
     * once it was reset; Nagle's algorithm; and a channel that blocks while its key is cancelled and no selection has followed,
     * which the JDK closes later.
     *
     * @param delayNanos of a network, for which the program waits after each step
     */
    static List<String> run(SelectorProvider provider, long seed, boolean overRings, long delayNanos) throws Exception {
        try (Scenario scenario = new Scenario(provider, seed, overRings)) {
            RUNNING.add(scenario);
            scenario.selectors.add(provider.openSelector());
            scenario.selectors.add(provider.openSelector());
            scenario.connect();
            for (int i = 0; i < STEPS; i++) {
                scenario.step();
                if (delayNanos > 0) {
                    LockSupport.parkNanos(delayNanos);
                }
            }
            return scenario.notes;
        }
    }

    /** The programs that have run for longer, with all that they have seen, and their channels. */
    static List<String> runningFor(Duration time) {
        return RUNNING.stream()
                .filter(each -> System.nanoTime() - each.beganNanos > time.toNanos())
                .map(Scenario::toString)
                .toList();
    }

    private void step() throws Exception {
        switch (random.nextInt(30)) {
            case 0 -> connect();
            case 1 -> open();
            case 2, 3, 4, 5 -> write(channel());
            case 6, 7, 8, 9 -> read(channel());
            case 10 -> shutDown(channel());
            case 11 -> close(channel());
            case 12, 13, 14 -> register(channel(), selector());
            case 15 -> cancel(channel(), selector());
            case 16, 17 -> changeInterest(channel(), selector());
            case 18, 19, 20 -> select(selector());
            case 21, 22 -> act(selector());
            case 23 -> unselect(selector());
            case 24 -> changeMode(channel());
            case 25 -> option(channel());
            case 26 -> look(channel(), selector());
            case 27 -> socket(channel());
            case 28 -> interrupted(channel(), selector());
            default -> reopen(random.nextInt(selectors.size()));
        }
    }

    private int channel() {
        return random.nextInt(channels.size());
    }

    private int selector() {
        return random.nextInt(selectors.size());
    }

    private void note(String what, Callable<?> call) {
        String outcome;
        try {
            outcome = String.valueOf(call.call());
        } catch (Exception e) {
            if (isBug(e)) {
                throw new AssertionError(
                        what + " of the program " + seed, e); // else a comparison that is repeated hides it
            }
            outcome = e.getClass().getSimpleName();
        }
        notes.add(what + " -> " + outcome);
    }

    /** Whether no channel throws it, whatever a program does. */
    private static boolean isBug(Exception e) {
        return e instanceof RuntimeException
                && e.getClass().getPackageName().equals("java.lang")
                && !(e instanceof IllegalArgumentException)
                && !(e instanceof UnsupportedOperationException);
    }

    /** A listener, a client and what the listener accepts: three channels more. */
    private void connect() throws Exception {
        if (channels.size() + 3 > MAX_CHANNELS) {
            return;
        }
        ServerSocketChannel listener = provider.openServerSocketChannel();
        channels.add(listener);
        listener.bind(loopback);
        listener.configureBlocking(false);
        note("accept of none", () -> name(listener.accept()));
        SocketChannel client = provider.openSocketChannel();
        channels.add(client);
        client.configureBlocking(random.nextBoolean());
        note("connect", () -> client.connect(listener.getLocalAddress()) || until(client::finishConnect));
        count(client);
        if (overRings && client.isOpen()) {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        client.configureBlocking(false);
        SocketChannel[] accepted = new SocketChannel[1];
        until(() -> (accepted[0] = listener.accept()) != null);
        channels.add(accepted[0]);
        if (overRings) {
            accepted[0].setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        accepted[0].configureBlocking(false);
        note("address of the listener", () -> listener.getLocalAddress().equals(client.getRemoteAddress()));
        note("address of the client", () -> client.getLocalAddress().equals(accepted[0].getRemoteAddress()));
    }

    private static void count(SocketChannel client) throws IOException {
        if (client.isOpen() && client.supportedOptions().contains(UrmaSocketOptions.TRANSPORT)) {
            (OverRings.isOverRings(client) ? OVER_RINGS : OVER_TCP).increment();
            FallbackReason reason = client.getOption(UrmaSocketOptions.FALLBACK_REASON);
            if (reason != FallbackReason.NONE) {
                REASONS.merge(reason, 1, Integer::sum);
            }
        }
    }

    private void open() throws Exception {
        if (channels.size() + 2 > MAX_CHANNELS) {
            return;
        }
        switch (random.nextInt(4)) {
            case 0 -> {
                Pipe pipe = provider.openPipe();
                channels.add(pipe.source());
                channels.add(pipe.sink());
                pipe.source().configureBlocking(false);
            }
            case 1 -> {
                DatagramChannel receiver = provider.openDatagramChannel().bind(loopback);
                DatagramChannel sender = provider.openDatagramChannel().connect(receiver.getLocalAddress());
                channels.add(receiver);
                channels.add(sender);
                receiver.configureBlocking(false);
                sender.configureBlocking(false);
            }
            case 2 -> {
                SocketChannel refused = provider.openSocketChannel();
                channels.add(refused);
                SocketChannel deaf = provider.openSocketChannel().bind(loopback); // or another program gets the port
                channels.add(deaf);
                SocketAddress address = deaf.getLocalAddress();
                note("connect to none", () -> refused.connect(address));
                note("open after it", refused::isOpen);
            }
            default -> {
                SocketChannel fresh = provider.openSocketChannel();
                channels.add(fresh);
                fresh.configureBlocking(false);
                note("read before a connection", () -> fresh.read(ByteBuffer.allocate(1)));
                note("finish without a connect", fresh::finishConnect);
            }
        }
    }

    private void write(int index) {
        int length = random.nextInt(3000);
        boolean direct = random.nextBoolean();
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        ByteBuffer source =
                direct ? ByteBuffer.allocateDirect(length).put(bytes).flip() : ByteBuffer.wrap(bytes);
        switch (channels.get(index)) {
            case SocketChannel channel
            when random.nextInt(4) == 0 -> {
                ByteBuffer[] parts = {source.slice(0, length / 3), source.slice(length / 3, length - length / 3)};
                note("gather " + index, () -> channel.write(parts));
            }
            case WritableByteChannel channel -> note("write " + index, () -> channel.write(source));
            default -> note("not writable " + index, () -> null);
        }
    }

    private void read(int index) {
        ByteBuffer target = random.nextBoolean() ? ByteBuffer.allocateDirect(2000) : ByteBuffer.allocate(2000);
        target.limit(random.nextInt(2001));
        SelectableChannel any = channels.get(index);
        if (any.isOpen() && any.isBlocking()) {
            return; // it might wait for ever
        }
        switch (any) {
            case SocketChannel channel
            when random.nextInt(4) == 0 -> {
                ByteBuffer[] parts = {target.slice(0, target.limit() / 2), ByteBuffer.allocate(100)};
                note("scatter " + index, () -> channel.read(parts) + " " + parts[0].position());
            }
            case DatagramChannel channel
            when random.nextBoolean() ->
                note(
                        "receive " + index,
                        () -> sender(channel.receive(target)) + target.flip().hashCode());
            case ReadableByteChannel channel ->
                note(
                        "read " + index,
                        () -> channel.read(target) + " " + target.flip().hashCode());
            case ServerSocketChannel channel -> note("accept " + index, () -> name(channel.accept()));
            default -> note("not readable " + index, () -> null);
        }
    }

    private void shutDown(int index) {
        boolean input = random.nextBoolean();
        if (channels.get(index) instanceof SocketChannel channel) {
            note("shut down " + index, () -> (input ? channel.shutdownInput() : channel.shutdownOutput()) == channel);
        }
    }

    private void close(int index) {
        SelectableChannel channel = channels.get(index);
        note("close " + index, () -> {
            channel.close();
            return channel.isOpen();
        });
    }

    private void register(int index, int selector) {
        SelectableChannel channel = channels.get(index);
        int ops = !overRings && random.nextInt(6) == 0 ? random.nextInt(32) : random.nextInt(32) & wanted(channel);
        note("register " + index + " at " + selector, () -> {
            SelectionKey key = channel.register(selectors.get(selector), ops, index);
            return key.interestOps() + " " + (key.channel() == channel)
                    + (key == channel.keyFor(selectors.get(selector)));
        });
    }

    private int wanted(SelectableChannel channel) {
        boolean isConnected = channel instanceof SocketChannel connection && connection.isConnected();
        return overRings && isConnected ? channel.validOps() & ~SelectionKey.OP_CONNECT : channel.validOps();
    }

    private @Nullable SelectionKey key(int index, int selector) {
        return channels.get(index).keyFor(selectors.get(selector));
    }

    private void cancel(int index, int selector) {
        boolean goesBlocking = random.nextBoolean();
        boolean returns = random.nextBoolean();
        SelectionKey key = key(index, selector);
        if (key == null) {
            return;
        }
        note("cancel " + index, () -> {
            key.cancel();
            return key.isValid() + " " + channels.get(index).isRegistered();
        });
        if (goesBlocking) {
            changeMode(index, true);
            changeMode(index, false);
        }
        if (returns) {
            register(index, selector);
            note("flush " + selector, () -> selectors.get(selector).selectNow());
            register(index, selector);
        }
    }

    private void changeInterest(int index, int selector) {
        SelectionKey key = key(index, selector);
        int ops = random.nextInt(32) & wanted(channels.get(index));
        int how = random.nextInt(3);
        if (key != null) {
            note("interest " + index, () -> switch (how) {
                case 0 -> key.interestOps(ops).interestOps();
                case 1 -> key.interestOpsOr(ops) + " " + key.interestOps();
                default -> key.interestOpsAnd(ops) + " " + key.interestOps();
            });
        }
    }

    private void select(int index) {
        Selector selector = selectors.get(index);
        int how = random.nextInt(4);
        note("select " + index, () -> {
            int count = switch (how) {
                case 0 -> selector.select(1);
                case 1 -> selector.wakeup().select();
                default -> selector.selectNow();
            };
            return count + " of " + selector.keys().size() + ": " + ready(selector.selectedKeys());
        });
    }

    private void act(int index) {
        Selector selector = selectors.get(index);
        boolean cancels = random.nextInt(8) == 0;
        boolean waits = random.nextInt(4) == 0;
        note("act " + index, () -> {
            Set<String> seen = new TreeSet<>();
            int count = waits
                    ? selector.select(key -> act(key, cancels, seen), 1)
                    : selector.selectNow(key -> act(key, cancels, seen));
            return count + " of " + selector.keys().size() + ": " + seen;
        });
    }

    private static void act(SelectionKey key, boolean cancels, Set<String> seen) {
        seen.add(key.attachment() + "/" + key.readyOps());
        if (cancels) {
            key.cancel();
        }
    }

    private static Set<String> ready(Set<SelectionKey> selected) {
        Set<String> ready = new TreeSet<>();
        for (SelectionKey key : selected) {
            ready.add(key.attachment() + (key.isValid() ? "/" + key.readyOps() : "!"));
        }
        return ready;
    }

    private void unselect(int index) {
        boolean all = random.nextBoolean();
        note("unselect " + index, () -> {
            Set<SelectionKey> selected = selectors.get(index).selectedKeys();
            if (all) {
                selected.clear();
            } else {
                List<SelectionKey> sorted = new ArrayList<>(selected);
                sorted.sort((a, b) -> String.valueOf(a.attachment()).compareTo(String.valueOf(b.attachment())));
                if (!sorted.isEmpty()) {
                    selected.remove(sorted.getFirst());
                }
            }
            return selected.size();
        });
    }

    private void changeMode(int index) {
        changeMode(index, random.nextBoolean());
    }

    private void changeMode(int index, boolean blocking) {
        SelectableChannel channel = channels.get(index);
        if (overRings && blocking && channel.isRegistered()) {
            return;
        }
        note(
                "blocking " + index + " " + blocking,
                () -> channel.configureBlocking(blocking).isBlocking());
    }

    private void option(int index) {
        int sizeBytes = 4096 + random.nextInt(60_000);
        boolean on = random.nextBoolean() || overRings;
        switch (channels.get(index)) {
            case SocketChannel channel -> {
                note(
                        "options " + index,
                        () -> new TreeSet<>(channel.supportedOptions().stream()
                                .map(Object::toString)
                                .filter(option -> !option.startsWith("urma-"))
                                .toList()));
                note(
                        "no delay",
                        () -> channel.setOption(StandardSocketOptions.TCP_NODELAY, on)
                                .getOption(StandardSocketOptions.TCP_NODELAY));
                note(
                        "buffer",
                        () -> channel.setOption(StandardSocketOptions.SO_RCVBUF, sizeBytes)
                                .getOption(StandardSocketOptions.SO_RCVBUF));
            }
            case ServerSocketChannel channel ->
                note(
                        "reuse",
                        () -> channel.setOption(StandardSocketOptions.SO_REUSEADDR, on)
                                .getOption(StandardSocketOptions.SO_REUSEADDR));
            case DatagramChannel channel ->
                note(
                        "broadcast",
                        () -> channel.setOption(StandardSocketOptions.SO_BROADCAST, on)
                                .getOption(StandardSocketOptions.SO_BROADCAST));
            default -> {}
        }
    }

    private void look(int index, int selector) {
        SelectableChannel channel = channels.get(index);
        note(
                "look " + index,
                () -> channel.isOpen() + " " + channel.isRegistered() + " " + channel.isBlocking() + " "
                        + channel.validOps() + " " + state(key(index, selector)));
        if (channel instanceof SocketChannel connection) {
            note("connected " + index, () -> connection.isConnected() + " " + connection.isConnectionPending());
            note("remote " + index, () -> withoutPort(connection.getRemoteAddress()));
        }
    }

    private static String state(@Nullable SelectionKey key) {
        return key == null ? "none" : key.isValid() ? key.interestOps() + "/" + key.readyOps() : "cancelled";
    }

    private void socket(int index) {
        byte[] bytes = new byte[1 + random.nextInt(100)];
        switch (channels.get(index)) {
            case SocketChannel channel -> {
                var socket = channel.socket();
                note(
                        "socket " + index,
                        () -> socket.isBound() + " " + socket.isConnected() + " " + socket.isClosed() + " "
                                + socket.isInputShutdown() + " " + socket.isOutputShutdown() + " "
                                + (socket.getChannel() == channel)
                                + (socket == channel.socket()));
                note("socket's peer", () -> withoutPort(socket.getRemoteSocketAddress()));
                note("linger", () -> {
                    socket.setSoLinger(true, 3);
                    socket.setSoLinger(false, 0);
                    return socket.getSoLinger();
                });
                note("write by the socket", () -> {
                    socket.getOutputStream().write(bytes);
                    return "done";
                });
                note("available", () -> socket.getInputStream().available());
            }
            case ServerSocketChannel channel -> {
                var socket = channel.socket();
                note(
                        "server socket",
                        () -> socket.isBound() + " " + socket.isClosed() + " " + (socket.getChannel() == channel)
                                + (socket.getLocalPort() > 0));
            }
            case DatagramChannel channel -> {
                var socket = channel.socket();
                note(
                        "datagram socket",
                        () -> socket.isBound() + " " + socket.isConnected() + " " + socket.isClosed() + " "
                                + (socket.getChannel() == channel));
            }
            default -> {}
        }
    }

    /** An interrupt closes a blocking channel, ends a select, and changes nothing of a channel that does not block. */
    private void interrupted(int index, int selector) {
        SelectableChannel any = channels.get(index);
        boolean reads = random.nextBoolean();
        Thread.currentThread().interrupt();
        if (reads && any instanceof ReadableByteChannel channel) {
            note("interrupted read " + index, () -> channel.read(ByteBuffer.allocate(10)));
        } else {
            note("interrupted select " + selector, () -> selectors.get(selector).select() >= 0);
        }
        note("flag", Thread::interrupted);
        note("open after it", any::isOpen);
    }

    private void reopen(int index) throws IOException {
        Selector old = selectors.get(index);
        note("close selector " + index, () -> {
            old.close();
            return old.isOpen();
        });
        note("select of a closed one", old::selectNow);
        note("keys of a closed one", () -> old.keys().size());
        selectors.set(index, provider.openSelector());
    }

    private String name(@Nullable SelectableChannel channel) throws IOException {
        if (channel != null) {
            channel.close();
        }
        return channel == null ? "none" : "one";
    }

    /** The channel that has sent a datagram, or the address without its port. TCP may have the same port. */
    private String sender(@Nullable SocketAddress address) throws IOException {
        for (int i = 0; i < channels.size(); i++) {
            if (channels.get(i) instanceof DatagramChannel channel
                    && channel.isOpen()
                    && channel.getLocalAddress() != null
                    && channel.getLocalAddress().equals(address)) {
                return "of " + i;
            }
        }
        return withoutPort(address) + " of none";
    }

    /** Of a peer that may be closed, so that another channel may have its port by now. */
    private static String withoutPort(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress internet
                ? String.valueOf(internet.getAddress())
                : String.valueOf(address);
    }

    private static boolean until(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() > deadline) {
                throw new IOException("not within " + PATIENCE);
            }
            Thread.onSpinWait();
        }
        return true;
    }

    @Override
    public String toString() {
        return "program " + seed + " of " + provider + "\n  " + String.join("\n  ", List.copyOf(notes)) + "\nwith "
                + List.copyOf(channels);
    }

    @Override
    public void close() throws IOException {
        RUNNING.remove(this);
        boolean wasInterrupted = Thread.interrupted();
        for (SelectableChannel channel : channels) {
            channel.close();
        }
        for (Selector selector : selectors) {
            selector.close();
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

package io.urma4j.socket;

import io.urma4j.Resource;
import io.urma4j.socket.peering.Attempt;
import io.urma4j.socket.peering.SocketNode;
import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A connection around a channel of the JDK, whose bytes go through TCP or through rings. */
final class UrmaSocketChannel extends SocketChannel implements Wrapper, Connections.Row {
    /** Connects the JDK's channel in one of its ways; whether it is connected when that returns. */
    interface Connecting {
        boolean run() throws IOException;
    }

    private final SocketChannel tcp;
    private final Delegate delegate;
    private final UrmaSelectorProvider provider;
    private final ReentrantLock connecting = new ReentrantLock();
    private @Nullable Socket socket; // guarded by delegate

    private volatile @Nullable Attempt attempt;
    private volatile @Nullable RingConnection rings;
    private volatile FallbackReason reason = FallbackReason.NONE;
    private volatile boolean noDelay; // as the program sees it, over rings
    private volatile long connectBeganNanos; // 0 for a connection that was accepted

    /** A channel of the JDK, before it connects. */
    UrmaSocketChannel(UrmaSelectorProvider provider, SocketChannel tcp) {
        super(provider);
        this.tcp = tcp;
        this.delegate = new Delegate(this, tcp);
        this.provider = provider;
    }

    /** A connection of the JDK that was accepted, and its rings if it has some. */
    UrmaSocketChannel(UrmaSelectorProvider provider, SocketChannel tcp, @Nullable RingConnection rings)
            throws IOException {
        this(provider, tcp);
        if (rings != null) {
            useOrClose(rings);
        } else {
            reason = provider.usesRings() ? FallbackReason.NO_OFFER : FallbackReason.SETTING;
        }
        try {
            show();
        } catch (Throwable e) { // an error, as of memory
            provider.connections().remove(this);
            if (rings != null) {
                rings.close();
            }
            throw e;
        }
    }

    /** A doorbell must not wait for the acknowledgement of the one before it, whatever the program thinks of Nagle's algorithm. */
    private void use(RingConnection made) throws IOException {
        noDelay = tcp.getOption(StandardSocketOptions.TCP_NODELAY);
        tcp.setOption(StandardSocketOptions.TCP_NODELAY, true);
        made.spin(provider.spinning());
        rings = made;
        made.onHeardAside(delegate::wakeSelectors);
        delegate.use(new RingReadiness(made));
    }

    /** Other processes see it until it is closed. */
    private void show() {
        if (provider.usesRings()) {
            provider.connections().add(this);
            if (!isOpen()) {
                provider.connections().remove(this);
            }
            long began = connectBeganNanos;
            SocketFlight.connected(this, reason, Duration.ofNanos(began == 0 ? 0 : System.nanoTime() - began));
        }
    }

    private void useOrClose(RingConnection made) throws IOException {
        try {
            use(made);
        } catch (Throwable e) { // another thread has closed the channel, or an error, as of memory
            made.close();
            throw e;
        }
    }

    @Override
    public Delegate delegate() {
        return delegate;
    }

    /** Why it is TCP, or NONE. */
    FallbackReason reason() {
        return reason;
    }

    /** The rings of the connection, or null if it is TCP or does not exist yet. */
    @Nullable
    RingConnection rings() {
        return rings;
    }

    @Override
    public SocketChannel bind(@Nullable SocketAddress local) throws IOException {
        tcp.bind(local);
        return this;
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        if (name.equals(UrmaSocketOptions.TRANSPORT) || name.equals(UrmaSocketOptions.FALLBACK_REASON)) {
            if (value.equals(getOption(name))) {
                return this; // programs set what they have read
            }
            throw new UnsupportedOperationException("'" + name + "' can only be read");
        }
        if (name.equals(StandardSocketOptions.TCP_NODELAY) && rings != null && isOpen()) {
            noDelay = (Boolean) value;
        } else {
            tcp.setOption(name, value);
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        if (name.equals(UrmaSocketOptions.TRANSPORT)) {
            RingConnection made = rings;
            return name.type().cast(made == null ? "tcp" : made.device());
        }
        if (name.equals(StandardSocketOptions.TCP_NODELAY) && rings != null && isOpen()) {
            return name.type().cast(noDelay);
        }
        return name.equals(UrmaSocketOptions.FALLBACK_REASON) ? name.type().cast(reason) : tcp.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        if (!provider.usesRings()) {
            return tcp.supportedOptions();
        }
        Set<SocketOption<?>> all = new HashSet<>(tcp.supportedOptions());
        all.add(UrmaSocketOptions.TRANSPORT);
        all.add(UrmaSocketOptions.FALLBACK_REASON);
        return Set.copyOf(all);
    }

    @Override
    public SocketChannel shutdownInput() throws IOException {
        RingConnection made = isOpen() ? decidedRings() : null;
        if (made == null) {
            tcp.shutdownInput();
        } else {
            made.shutdownInput();
            delegate.recheck();
        }
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        RingConnection made = isOpen() ? decidedRings() : null;
        if (made == null) {
            tcp.shutdownOutput();
        } else {
            made.shutdownOutput();
            delegate.recheck();
        }
        return this;
    }

    /** Shuts the output down, unless a thread writes to rings just now; for a close, which wakes it. */
    void endOutput() throws IOException {
        RingConnection made = rings;
        if (made == null) {
            tcp.shutdownOutput();
        } else {
            made.endOutput();
        }
    }

    @Override
    public Socket socket() {
        synchronized (delegate) {
            if (socket == null) {
                socket = SocketView.of(this, tcp.socket());
            }
            return socket;
        }
    }

    @Override
    public boolean isConnected() {
        return attempt == null && tcp.isConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return tcp.isConnectionPending() || attempt != null && tcp.isConnected();
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        return connect(remote, 0, () -> tcp.connect(remote));
    }

    /**
     * Connects in some way of the JDK's, after rings were offered to a listener that could use them.
     *
     * @param timeoutMillis the most that finding out whether it could may take; 0 for no limit
     */
    boolean connect(SocketAddress remote, int timeoutMillis, Connecting way) throws IOException {
        connecting.lock();
        boolean isOurs = canBegin(); // else the JDK refuses, and what was begun goes on
        if (isOurs) {
            connectBeganNanos = System.nanoTime();
        }
        try {
            if (isOurs && remote instanceof InetSocketAddress address) {
                offer(address, timeoutMillis == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
            }
            return way.run() && decided();
        } catch (IOException e) {
            cancelAttempt();
            throw delegate.failed(e);
        } catch (RuntimeException | Error e) {
            if (isOurs) {
                cancelAttempt();
            }
            var _ = delegate.failed(e);
            throw e;
        } finally {
            leaveConnecting();
        }
    }

    /** A channel that was closed meanwhile takes its offer back, which may be taken by the wrong connection else. */
    private void leaveConnecting() {
        connecting.unlock();
        if (!isOpen()) {
            cancelIfClosed();
        }
    }

    private void cancelIfClosed() {
        if (connecting.tryLock()) {
            try {
                cancelAttempt();
            } finally {
                connecting.unlock();
            }
        }
    }

    private boolean canBegin() {
        return tcp.isOpen() && !tcp.isConnected() && !tcp.isConnectionPending();
    }

    private void offer(InetSocketAddress remote, long timeoutNanos) throws IOException {
        if (remote.isUnresolved() || remote.getPort() == 0) {
            return; // which the JDK refuses
        }
        SocketNode node = provider.node();
        if (node == null) {
            reason = provider.usesRings() ? FallbackReason.NO_DEVICE : FallbackReason.SETTING;
        } else {
            SocketNode.Plan plan = node.plan(tcp, remote, timeoutNanos);
            attempt = plan.attempt();
            reason = plan.reason();
        }
        refuseTcp(remote);
    }

    private void refuseTcp(@Nullable SocketAddress remote) throws IOException {
        if (attempt == null && rings == null && provider.requiresRings()) {
            close();
            throw new IOException("urma.socket.mode is require, but a connection to " + remote + " is TCP: " + reason);
        }
    }

    @Override
    public boolean finishConnect() throws IOException {
        connecting.lock();
        try {
            return tcp.finishConnect() && decided();
        } catch (IOException e) {
            cancelAttempt();
            throw delegate.failed(e);
        } catch (Error e) { // as of memory
            cancelAttempt();
            throw delegate.failed(e);
        } finally {
            leaveConnecting();
        }
    }

    /** TCP is connected: from now on both ends use rings, or neither does. */
    private boolean decided() throws IOException {
        Attempt made = attempt;
        if (made != null) {
            SocketAddress remote = tcp.getRemoteAddress();
            RingConnection agreed = decide(made);
            if (agreed != null) {
                useOrClose(agreed);
                reason = FallbackReason.NONE;
            } else {
                reason = made.reason();
            }
            attempt = null;
            if (!isOpen() && agreed != null) {
                agreed.close(); // another thread has closed the channel, and has not seen the rings
            }
            refuseTcp(remote);
        }
        show();
        return true;
    }

    /** Where this end cannot know how the server has decided, there is no connection: the two could differ. */
    private @Nullable RingConnection decide(Attempt made) throws IOException {
        try {
            return made.decide(tcp);
        } catch (RuntimeException e) {
            close();
            throw new IOException("It is not known whether " + made + " was taken, so it is closed", e);
        } catch (Error e) { // as of memory
            close();
            throw e;
        }
    }

    private void cancelAttempt() {
        Attempt made = attempt;
        if (made != null) {
            attempt = null;
            made.cancel();
        }
    }

    @Override
    public @Nullable SocketAddress getRemoteAddress() throws IOException {
        return tcp.getRemoteAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalAddress() throws IOException {
        return tcp.getLocalAddress();
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        RingConnection made = checkedRings();
        try {
            if (made == null) {
                return tcp.read(target);
            }
            refuseReadOnly(target);
            return isBlocking() ? made.readWaiting(target) : made.read(target);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, targets.length);
        RingConnection made = checkedRings();
        for (int i = offset; i < offset + length && made != null; i++) {
            refuseReadOnly(targets[i]);
        }
        try {
            if (made == null) {
                return tcp.read(targets, offset, length);
            }
            return isBlocking() ? made.readWaiting(targets, offset, length) : made.read(targets, offset, length);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    private static void refuseReadOnly(ByteBuffer target) {
        if (target.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    private @Nullable RingConnection checkedRings() throws ClosedChannelException {
        RingConnection made = decidedRings();
        if (made != null && !isOpen()) {
            throw new ClosedChannelException();
        }
        return made;
    }

    private @Nullable RingConnection decidedRings() {
        RingConnection made = rings;
        if (made == null) {
            checkDecided();
            made = rings; // another thread may have decided between the two looks
        }
        return made;
    }

    /** TCP may be connected already, while it is open whether its bytes will be doorbells. */
    private void checkDecided() {
        if (attempt != null) {
            throw new NotYetConnectedException();
        }
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        RingConnection made = checkedRings();
        try {
            if (made == null) {
                return tcp.write(source);
            }
            return isBlocking() ? made.writeWaiting(source) : made.write(source);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, sources.length);
        RingConnection made = checkedRings();
        try {
            if (made == null) {
                return tcp.write(sources, offset, length);
            }
            return isBlocking() ? made.writeWaiting(sources, offset, length) : made.write(sources, offset, length);
        } catch (IOException e) {
            throw delegate.failed(e);
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        provider.connections().remove(this);
        RingConnection made = rings;
        if (made == null) {
            tcp.close();
            cancelIfClosed();
        } else {
            SocketFlight.closing(this);
            made.close();
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        delegate.configureBlocking(block);
    }

    /** What other processes see of it; empty if it is closed. */
    @Override
    public Optional<Resource> describe(long number) {
        return ConnectionRow.of(this, number);
    }

    @Override
    public String toString() {
        RingConnection made = rings;
        return made == null ? tcp.toString() : tcp + ", " + made;
    }
}

package io.urma4j.socket.ring;

import java.io.IOException;
import java.io.InputStream;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose bytes go through rings, and whose TCP connection wakes, ends and resets it. It behaves as TCP does. Safe
 * for any thread.
 *
 * <p>Calls that wait are for a TCP connection in blocking mode, the others for one that does not block.
 */
public final class RingConnection {
    private final SocketChannel tcp;
    private final RingReader reader;
    private final RingWriter writer;
    private final Ringer ringer;
    private final TcpEnd end;
    private final Doorbell doorbell;
    private final Output output;
    private final Input input;
    private final Carrier carrier;
    private final AtomicBoolean closed = new AtomicBoolean();
    private @Nullable ReadyPlace place;

    /**
     * A connection of two rings in shared memory, and TCP.
     *
     * @param peersProof what the peer must send first over TCP
     * @param peer the process at the other end
     * @param retire takes the reader's ring back; called once, when no thread of this process uses it any more
     */
    public RingConnection(
            SocketChannel tcp,
            RingReader reader,
            RingWriter writer,
            long peersProof,
            PeerProcess peer,
            Runnable retire) {
        this(tcp, reader, writer, peersProof, peer, retire, Carrier.SHARED);
    }

    /** The same with what takes the bytes between the two processes, as reader and writer have it. */
    public RingConnection(
            SocketChannel tcp,
            RingReader reader,
            RingWriter writer,
            long peersProof,
            PeerProcess peer,
            Runnable retire,
            Carrier carrier) {
        this.tcp = tcp;
        this.carrier = carrier;
        this.reader = reader;
        this.writer = writer;
        this.ringer = new Ringer(tcp, writer);
        this.end = new TcpEnd(reader, peer);
        this.doorbell = carrier.isShared()
                ? new Doorbell(tcp, this::close, reader, end, peersProof)
                : new ArrivalDoorbell(tcp, this::close, reader, end, peersProof, peer);
        this.output = new Output(writer, doorbell, end, ringer, peer);
        this.input = new Input(reader, doorbell, end, ringer, output::isPeerGone, retire);
    }

    /** Reads what is there; 0 if nothing is, −1 at the end. */
    public int read(ByteBuffer target) throws IOException {
        return input.read(target);
    }

    /** Reads into several buffers what is there. */
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        return input.read(targets, offset, length);
    }

    /** Reads what is there, and waits until something is. */
    public int readWaiting(ByteBuffer target) throws IOException {
        return input.readWaiting(target, null, 0);
    }

    /** The same for a stream of the TCP connection, whose timeout is {@code timeoutMillis}, or 0. */
    public int readWaiting(ByteBuffer target, @Nullable InputStream stream, int timeoutMillis) throws IOException {
        return input.readWaiting(target, stream, timeoutMillis);
    }

    /** Reads into several buffers, and waits until something is there. */
    public long readWaiting(ByteBuffer[] targets, int offset, int length) throws IOException {
        return input.readWaiting(targets, offset, length);
    }

    /** Writes what has room, possibly nothing. */
    public int write(ByteBuffer source) throws IOException {
        return output.write(source);
    }

    /** Writes of several buffers what has room. */
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return output.write(sources, offset, length);
    }

    /** Writes all, and waits until it has room. */
    public int writeWaiting(ByteBuffer source) throws IOException {
        return output.writeWaiting(source);
    }

    /** Writes all of several buffers, and waits until it has room. */
    public long writeWaiting(ByteBuffer[] sources, int offset, int length) throws IOException {
        return output.writeWaiting(sources, offset, length);
    }

    /**
     * Which operations of {@code interest} would not wait. For the others the doorbell will ring, so the caller may sleep until
     * TCP is readable.
     */
    public int ready(int interest) {
        int ready = 0;
        if ((interest & SelectionKey.OP_READ) != 0 && input.isReady()) {
            ready |= SelectionKey.OP_READ;
        }
        if ((interest & SelectionKey.OP_WRITE) != 0 && output.isReady()) {
            ready |= SelectionKey.OP_WRITE;
        }
        return ready;
    }

    /** Whether something may be ready of {@code interest}, without asking for a doorbell. Takes no lock. */
    public boolean hasNews(int interest) {
        return (interest & SelectionKey.OP_READ) != 0 && input.isThere()
                || (interest & SelectionKey.OP_WRITE) != 0 && output.mayHaveRoom()
                || end.isOver();
    }

    /** How long reads and writes look at their ring before they sleep; to be set before the connection is used. */
    public void spin(Spinning policy) {
        input.spin(policy);
        output.spin(policy);
    }

    /** Where both ends are marked as ready for their selectors; to be set before the connection is used. */
    public void readyAt(ReadyPlace own, ReadyPlace peers) {
        place = own;
        ringer.marks(peers);
    }

    /** Waits for the peer's proof, not longer than a wake-up takes. The peer sends it just now. */
    public void expectProof() throws IOException {
        doorbell.expectProof();
    }

    /** Where this end is marked, or null if it is woken over TCP alone. */
    @Nullable
    ReadyPlace readyPlace() {
        return place;
    }

    /** The peer marks this end in a set of the ready words from now on, or rings if it is {@link ReadyWords#NONE}. */
    void selectedBy(int set) {
        reader.selectedBy(set);
    }

    /** Whether it was reset, or has ended in both directions, which the kernel reports as ready for all. */
    public boolean hangsUp() {
        return end.hasFailed()
                || ringer.isBroken()
                || output.isReset()
                || output.isShut() && (input.isShut() || input.hasEnded());
    }

    /** Whether no doorbell can be heard, so that a thread that waits for room has to ask again from time to time. */
    public boolean hasToPoll() {
        return doorbell.isDeaf();
    }

    /** {@code action} runs when something came that no selector has seen. It must not wait, nor call this connection. */
    public void onHeardAside(Runnable action) {
        doorbell.onHeardAside(action);
    }

    /** TCP is readable: looks what it says. For a connection that does not block. */
    public void drain() throws IOException {
        doorbell.drain();
    }

    /** The device that moves its bytes. */
    public String device() {
        return carrier.device();
    }

    /** Bytes of the peer, room, or a word of it has come over a network. Any thread; it does not wait. */
    public void arrived() {
        boolean wakes = reader.takesWantOfData();
        wakes |= writer.takesWantOfRoom();
        if (wakes) {
            doorbell.arrived();
        }
    }

    /** The network does not reach the peer any more, so nothing comes. Any thread. */
    public void lost() {
        end.lost();
        doorbell.arrived();
    }

    /** How many bytes can be read without waiting. */
    public int available() throws IOException {
        doorbell.hearUnread();
        return input.available();
    }

    /** Nothing is read any more. A thread that waits in a read sees the end. */
    public void shutdownInput() throws IOException {
        input.shut();
        doorbell.shutdownInput();
        endIfShut();
    }

    /** Nothing is written any more; the peer sees the end after the last byte. TCP goes on, for it carries the doorbells. */
    public void shutdownOutput() throws IOException {
        output.shut();
        endIfShut();
    }

    /** Ends the output and TCP, unless a thread writes just now. A close that follows resets TCP after its end, if bytes are unread. */
    public void endOutput() throws IOException {
        if (output.shutIfIdle()) {
            carrier.flush(Carrier.FLUSH_NANOS);
            tcp.shutdownOutput();
        }
    }

    /** Nothing moves any more, so TCP has no doorbells to carry. A peer that writes all the same sees what the kernel says. */
    private void endIfShut() throws IOException {
        if (input.isShut() && output.isShut() && !closed.get()) {
            input.refuse();
            carrier.flush(Carrier.FLUSH_NANOS);
            doorbell.endInput();
            tcp.shutdownOutput();
        }
    }

    /** Whether {@link #shutdownInput} was called. */
    public boolean isInputShut() {
        return input.isShut();
    }

    /** Whether {@link #shutdownOutput} was called. */
    public boolean isOutputShut() {
        return output.isShut();
    }

    /**
     * Closes both directions. If bytes are unread, or the socket lingers for no time, the peer sees a reset, else an end after
     * the last byte. Other threads that wait see {@link java.nio.channels.AsynchronousCloseException}.
     */
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            releaseIfUnregistered();
            return;
        }
        boolean reads = input.close();
        boolean writes = output.close();
        try {
            if (tcp.isOpen()) {
                if (reads && writes) {
                    tcp.configureBlocking(false);
                    doorbell.drain(); // the kernel would take unread doorbells for unread bytes
                }
                boolean lingers = tcp.getOption(StandardSocketOptions.SO_LINGER) != 0;
                if (reads && writes && lingers && input.isPeerClosed()) {
                    tcp.setOption(StandardSocketOptions.SO_LINGER, 0); // else its port is in TIME_WAIT for a minute
                }
                resetOrEnd(lingers, reads, writes);
            } else if (reads && input.hasUnread()) { // by an interrupt
                reset();
            } else {
                input.refuse();
            }
        } finally {
            closeTcp(reads, writes);
        }
    }

    private void resetOrEnd(boolean lingers, boolean reads, boolean writes) throws IOException {
        if (reads && lingers && tcp.isRegistered()) { // the JDK's channel ends now, and is closed when its key is gone
            input.hold();
            if (input.isShut()) {
                input.refuse();
                doorbell.endInput();
            }
        } else if (reads && input.hasUnread()) {
            tcp.setOption(StandardSocketOptions.SO_LINGER, 0);
            reset();
            return;
        } else {
            input.refuse();
        }
        if (!lingers) {
            output.abort();
        } else if (writes) {
            output.end(); // a doorbell of the peer that comes later resets TCP, but not what the peer reads
        }
    }

    /** The peer sees a reset in both directions, whatever it does next. Only with the lock of the input. */
    private void reset() {
        input.reset();
        output.abort();
    }

    /** The last key of the JDK's channel is gone, and so is the channel, if {@link #close} was called. */
    public void deregistered() {
        if (closed.get()) {
            input.release();
        }
    }

    /**
     * An interrupt closes this connection before its channel. If the last key goes in between, its selector takes the channel for open
     * and releases nothing.
     */
    private void releaseIfUnregistered() {
        if (input.isHeld() && !tcp.isRegistered()) {
            input.release();
        }
    }

    private void closeTcp(boolean reads, boolean writes) throws IOException {
        carrier.flush(Carrier.FLUSH_NANOS); // or the end of TCP would overtake what was written
        try {
            tcp.close();
        } finally {
            releaseIfUnregistered();
            if (writes) {
                output.leave();
            }
            if (reads) {
                input.leave();
            }
            doorbell.wakeAll();
        }
    }

    /** What it has moved. */
    public RingUse use() {
        return new RingUse(
                reader.readBytes(),
                reader.unreadBytes(),
                writer.writtenBytes(),
                writer.uncreditedBytes(),
                ringer.sent(),
                doorbell.heard(),
                input.spinUse().plus(output.spinUse()));
    }

    @Override
    public String toString() {
        return "reads " + input + ", writes " + output + " over " + device() + "; " + end + ", " + doorbell + ", "
                + ringer;
    }
}

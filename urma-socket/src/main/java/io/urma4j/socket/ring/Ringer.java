package io.urma4j.socket.ring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Wakes the peer of a connection: by its ready words while its selector is awake, else by a byte over TCP. Any thread. */
final class Ringer {
    /** Bytes that the peer has not read yet. It does not sleep while there are some, so more would wake nothing. */
    static final int MAX_UNREAD = 64;

    private final SocketChannel tcp;
    private final RingWriter writer;
    private final ReentrantLock lock = new ReentrantLock();
    private final ByteBuffer outgoing = ByteBuffer.allocateDirect(1);
    private @Nullable ReadyPlace peersPlace; // set before the connection is used
    private int rung;
    private volatile boolean broken;
    private volatile boolean isOwedReset; // by the peer's kernel, once no selector has a key of the peer's channel

    Ringer(SocketChannel tcp, RingWriter writer) {
        this.tcp = tcp;
        this.writer = writer;
    }

    /** Where the peer's end is marked; before the connection is used. */
    void marks(ReadyPlace place) {
        peersPlace = place;
    }

    /** Wakes the peer. That it has gone is for the next write to tell, as of TCP. */
    void ring() throws ClosedChannelException {
        ReadyPlace place = peersPlace;
        if (place != null && !place.mark(writer.selector())) {
            return;
        }
        lock.lock();
        try {
            if (rung - writer.doorbellsCounted() < MAX_UNREAD) {
                send();
            }
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            broken = true;
        } finally {
            lock.unlock();
        }
    }

    /** The same for a connection that another thread may have closed. */
    void ringIfOpen() {
        try {
            ring();
        } catch (ClosedChannelException e) {
            // TCP has ended, which wakes the peer, too
        }
    }

    /**
     * Sends a byte to a peer that has closed: the kernel answers as to any byte after a close. It takes the byte while selectors of the
     * peer have keys of the channel, and resets TCP for it once they have none.
     */
    void forward() throws IOException {
        lock.lock();
        try {
            send();
            isOwedReset = true;
        } catch (IOException e) {
            broken = true;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    private void send() throws IOException {
        rung += tcp.write(outgoing.clear());
    }

    /** TCP was reset, so it would refuse the next byte. */
    void breakOff() {
        broken = true;
    }

    /** Whether TCP has refused a byte, or does since a peer that has closed got one. */
    boolean isBroken() {
        return broken || isOwedReset && writer.isReaderClosed();
    }

    /** How many bytes have woken the peer. */
    int sent() {
        return rung;
    }

    @Override
    public String toString() {
        return rung + " doorbells sent" + (broken ? ", broken" : "");
    }
}

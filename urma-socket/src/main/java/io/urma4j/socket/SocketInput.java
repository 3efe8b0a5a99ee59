package io.urma4j.socket;

import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;

/** The input of a socket, from TCP or from rings, whose closing closes our channel. */
final class SocketInput extends InputStream {
    private final UrmaSocketChannel channel;
    private final Socket socket;
    private final InputStream in;

    /** {@code socket} has the timeout of the program, {@code in} is the input of TCP. */
    SocketInput(UrmaSocketChannel channel, Socket socket, InputStream in) {
        this.channel = channel;
        this.socket = socket;
        this.in = in;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, target.length);
        RingConnection rings = channel.rings();
        try {
            if (rings == null) {
                return in.read(target, offset, length);
            }
            if (!channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            return rings.readWaiting(ByteBuffer.wrap(target, offset, length), in, socket.getSoTimeout());
        } catch (IOException e) {
            throw channel.delegate().failed(e);
        }
    }

    @Override
    public int available() throws IOException {
        RingConnection rings = channel.rings();
        int unread = in.available(); // which refuses if the channel is closed
        return rings == null ? unread : rings.available();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

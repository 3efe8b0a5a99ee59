package io.urma4j.socket;

import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;

/** The output of a socket, to TCP or to rings, whose closing closes our channel. */
final class SocketOutput extends OutputStream {
    private final UrmaSocketChannel channel;
    private final OutputStream out;

    SocketOutput(UrmaSocketChannel channel, Socket socket) throws IOException {
        this.channel = channel;
        this.out = socket.getOutputStream();
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, source.length);
        RingConnection rings = channel.rings();
        try {
            if (rings == null) {
                out.write(source, offset, length);
            } else if (channel.isBlocking()) {
                rings.writeWaiting(ByteBuffer.wrap(source, offset, length));
            } else {
                throw new IllegalBlockingModeException();
            }
        } catch (IOException e) {
            throw channel.delegate().failed(e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

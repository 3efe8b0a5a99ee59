package io.urma4j.socket;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The input of a socket, whose closing closes our channel. */
final class SocketInput extends FilterInputStream {
    private final UrmaSocketChannel channel;

    SocketInput(UrmaSocketChannel channel, InputStream in) {
        super(in);
        this.channel = channel;
    }

    @Override
    public int read() throws IOException {
        try {
            return in.read();
        } catch (IOException e) {
            throw channel.delegate().failed(e);
        }
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        try {
            return in.read(target, offset, length);
        } catch (IOException e) {
            throw channel.delegate().failed(e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package io.urma4j.socket;

import java.io.IOException;
import java.io.OutputStream;

/** The output of a socket, whose closing closes our channel. */
final class SocketOutput extends OutputStream {
    private final UrmaSocketChannel channel;
    private final OutputStream out;

    SocketOutput(UrmaSocketChannel channel, OutputStream out) {
        this.channel = channel;
        this.out = out;
    }

    @Override
    public void write(int value) throws IOException {
        try {
            out.write(value);
        } catch (IOException e) {
            throw channel.delegate().failed(e);
        }
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        try {
            out.write(source, offset, length);
        } catch (IOException e) {
            throw channel.delegate().failed(e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package io.urma4j.socket;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;

/**
 * Refuses all that a socket may ask of its implementation. The sockets of channels override whatever would ask it; the
 * implementations for sockets and for listeners override what those ask.
 */
class UnusedSocketImpl extends SocketImpl {
    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("a socket of this kind does not ask its implementation for this");
    }

    @Override
    protected void create(boolean stream) throws IOException {
        throw unused();
    }

    @Override
    protected void connect(String host, int port) throws IOException {
        throw unused();
    }

    @Override
    protected void connect(InetAddress address, int port) throws IOException {
        throw unused();
    }

    @Override
    protected void connect(SocketAddress address, int timeoutMillis) throws IOException {
        throw unused();
    }

    @Override
    protected void bind(InetAddress host, int port) throws IOException {
        throw unused();
    }

    @Override
    protected void listen(int backlog) throws IOException {
        throw unused();
    }

    @Override
    protected void accept(SocketImpl accepted) throws IOException {
        throw unused();
    }

    @Override
    protected InputStream getInputStream() throws IOException {
        throw unused();
    }

    @Override
    protected OutputStream getOutputStream() throws IOException {
        throw unused();
    }

    @Override
    protected int available() throws IOException {
        throw unused();
    }

    @Override
    protected void close() throws IOException {}

    @Override
    protected void sendUrgentData(int data) throws IOException {
        throw unused();
    }

    @Override
    public void setOption(int option, Object value) throws SocketException {
        throw unused();
    }

    @Override
    public Object getOption(int option) throws SocketException {
        throw unused();
    }
}

package io.urma4j.socket;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/** A provider around another one, as a program may have; a test overrides a call. */
public class ForwardingProvider extends SelectorProvider {
    private final SelectorProvider inner;

    public ForwardingProvider(SelectorProvider inner) {
        this.inner = inner;
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        return inner.openDatagramChannel();
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        return inner.openDatagramChannel(family);
    }

    @Override
    public Pipe openPipe() throws IOException {
        return inner.openPipe();
    }

    @Override
    public AbstractSelector openSelector() throws IOException {
        return inner.openSelector();
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return inner.openServerSocketChannel();
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return inner.openSocketChannel();
    }
}

package io.urma4j.socket;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.spi.SelectorProvider;

/** A pipe of the JDK, whose ends can be registered with our selectors. */
final class UrmaPipe extends Pipe {
    private final SourceChannel source;
    private final SinkChannel sink;

    UrmaPipe(SelectorProvider provider, Pipe inner) {
        this.source = new Source(provider, inner.source());
        this.sink = new Sink(provider, inner.sink());
    }

    @Override
    public SourceChannel source() {
        return source;
    }

    @Override
    public SinkChannel sink() {
        return sink;
    }

    private static final class Source extends SourceChannel implements Wrapper {
        private final SourceChannel inner;
        private final Delegate delegate;

        Source(SelectorProvider provider, SourceChannel inner) {
            super(provider);
            this.inner = inner;
            this.delegate = new Delegate(this, inner);
        }

        @Override
        public Delegate delegate() {
            return delegate;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            try {
                return inner.read(target);
            } catch (IOException e) {
                throw delegate.failed(e);
            }
        }

        @Override
        public long read(ByteBuffer[] targets) throws IOException {
            return read(targets, 0, targets.length);
        }

        @Override
        public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
            try {
                return inner.read(targets, offset, length);
            } catch (IOException e) {
                throw delegate.failed(e);
            }
        }

        @Override
        protected void implCloseSelectableChannel() throws IOException {
            inner.close();
        }

        @Override
        protected void implConfigureBlocking(boolean block) throws IOException {
            delegate.configureBlocking(block);
        }
    }

    private static final class Sink extends SinkChannel implements Wrapper {
        private final SinkChannel inner;
        private final Delegate delegate;

        Sink(SelectorProvider provider, SinkChannel inner) {
            super(provider);
            this.inner = inner;
            this.delegate = new Delegate(this, inner);
        }

        @Override
        public Delegate delegate() {
            return delegate;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            try {
                return inner.write(source);
            } catch (IOException e) {
                throw delegate.failed(e);
            }
        }

        @Override
        public long write(ByteBuffer[] sources) throws IOException {
            return write(sources, 0, sources.length);
        }

        @Override
        public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
            try {
                return inner.write(sources, offset, length);
            } catch (IOException e) {
                throw delegate.failed(e);
            }
        }

        @Override
        protected void implCloseSelectableChannel() throws IOException {
            inner.close();
        }

        @Override
        protected void implConfigureBlocking(boolean block) throws IOException {
            delegate.configureBlocking(block);
        }
    }
}

package io.urma4j.socket;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;

/** Opens sockets and listeners of one implementation, so that one scenario runs on the JDK's and on ours. */
interface ClassicSockets {
    Socket socket() throws IOException;

    Listener listener() throws IOException;

    /** Whether connections between two of them go through rings. */
    boolean useRings();

    /** Those of the JDK. */
    final class OfTheJdk implements ClassicSockets {
        @Override
        public Socket socket() {
            return new Socket();
        }

        @Override
        public Listener listener() throws IOException {
            return new Listener();
        }

        @Override
        public boolean useRings() {
            return false;
        }
    }

    /** Those over the channels of a provider. */
    record OverChannels(UrmaSelectorProvider provider) implements ClassicSockets {
        @Override
        public Socket socket() throws IOException {
            return new ProviderSocket(provider);
        }

        @Override
        public Listener listener() {
            return new ProviderListener(provider);
        }

        @Override
        public boolean useRings() {
            return provider.usesRings();
        }
    }

    /** A server socket that accepts into a socket of the caller. */
    class Listener extends ServerSocket {
        Listener() throws IOException {}

        Listener(SocketImpl implementation) {
            super(implementation);
        }

        Socket acceptInto(Socket socket) throws IOException {
            implAccept(socket);
            return socket;
        }
    }

    /** A socket with our implementation, which needs no factory. */
    final class ProviderSocket extends Socket {
        ProviderSocket(UrmaSelectorProvider provider) throws SocketException {
            super(new UrmaSocketImpl(provider));
        }
    }

    /** A listener with our implementation, which accepts without a factory. */
    final class ProviderListener extends Listener {
        private final UrmaSelectorProvider provider;

        ProviderListener(UrmaSelectorProvider provider) {
            super(new UrmaServerSocketImpl(provider));
            this.provider = provider;
        }

        @Override
        public Socket accept() throws IOException {
            if (isClosed()) {
                throw new SocketException("Socket is closed");
            }
            if (!isBound()) {
                throw new SocketException("Socket is not bound yet");
            }
            return acceptInto(new ProviderSocket(provider));
        }
    }
}

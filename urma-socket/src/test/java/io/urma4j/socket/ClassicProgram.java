package io.urma4j.socket;

import com.sun.net.httpserver.HttpServer;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Uses sockets as programs do that know nothing of urma4j, and prints what works. A property installs ours before. */
final class ClassicProgram {
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final int LENGTH = 200_000;
    private static final int REQUESTS = 50;

    private ClassicProgram() {}

    public static void main(String[] arguments) throws Exception {
        String foreign = System.getProperty("test.foreign", "");
        if (foreign.equals("refusing")) {
            setRefusingFactories();
            channels();
            return;
        }
        setForeignFactory(foreign);
        UrmaSockets.installIfWanted();
        UrmaSockets.installIfWanted();
        plain();
        subclass();
        tls();
        layeredTls();
        http();
        proxies();
        channels();
    }

    @SuppressWarnings("deprecation") // as a program that has a factory of its own
    private static void setForeignFactory(String name) throws IOException {
        if (name.equals("Socket")) {
            Socket.setSocketImplFactory(UnusedSocketImpl::new);
        } else if (name.equals("ServerSocket")) {
            ServerSocket.setSocketFactory(UnusedSocketImpl::new);
        }
    }

    /** Factories that nothing may ask. */
    @SuppressWarnings("deprecation") // as above
    private static void setRefusingFactories() throws IOException {
        SocketImplFactory refusing = () -> {
            throw new AssertionError("a channel's socket asks a factory");
        };
        Socket.setSocketImplFactory(refusing);
        ServerSocket.setSocketFactory(refusing);
    }

    private interface Accepting {
        Socket accept() throws IOException;
    }

    private interface Serving {
        void serve(Socket socket) throws Exception;
    }

    /** Serves one connection on a thread of its own. */
    private static void serve(Accepting accepting, Serving serving) {
        Thread.ofVirtual().start(() -> {
            try (Socket socket = accepting.accept()) {
                serving.serve(socket);
            } catch (Exception e) {
                e.printStackTrace(System.out);
            }
        });
    }

    private static void echo(Socket socket) throws IOException {
        socket.getInputStream().transferTo(socket.getOutputStream());
        socket.shutdownOutput();
    }

    private static String tryEcho(Socket socket) throws IOException {
        byte[] sent = new byte[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            sent[i] = (byte) (i * 31 >> 3);
        }
        Thread.ofVirtual().start(() -> {
            try {
                socket.getOutputStream().write(sent);
            } catch (IOException e) {
                e.printStackTrace(System.out);
            }
        });
        return Arrays.equals(socket.getInputStream().readNBytes(LENGTH), sent) ? " right" : " wrong";
    }

    private static String transport(Socket socket) throws IOException {
        try {
            return socket.getOption(UrmaSocketOptions.TRANSPORT);
        } catch (UnsupportedOperationException e) {
            return "none";
        }
    }

    private static void plain() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 50, LOOPBACK)) {
            CompletableFuture<String> seen = new CompletableFuture<>();
            serve(listener::accept, socket -> {
                seen.complete(transport(socket));
                echo(socket);
            });
            try (Socket socket = new Socket(LOOPBACK, listener.getLocalPort())) {
                System.out.println("echo" + tryEcho(socket));
                System.out.println("transport " + transport(socket) + " " + seen.get());
            }
            serve(listener::accept, ClassicProgram::echo);
            try (Socket socket = new Socket(Proxy.NO_PROXY)) {
                socket.connect(listener.getLocalSocketAddress());
                System.out.println("no proxy" + tryEcho(socket));
            }
        }
    }

    /** As server sockets that make sockets of a class of their own. */
    private static void subclass() throws IOException {
        class Made extends Socket {
            Made() throws IOException {
                super((SocketImpl) null);
            }
        }
        class Maker extends ServerSocket {
            Maker() throws IOException {
                super(0, 50, LOOPBACK);
            }

            @Override
            public Socket accept() throws IOException {
                Socket made = new Made();
                implAccept(made);
                return made;
            }
        }
        try (ServerSocket listener = new Maker()) {
            serve(listener::accept, ClassicProgram::echo);
            try (Socket socket = new Socket(LOOPBACK.getHostName(), listener.getLocalPort())) {
                System.out.println("subclass" + tryEcho(socket));
            }
        }
    }

    private static void tls() throws IOException {
        try (ServerSocket listener = SSLServerSocketFactory.getDefault().createServerSocket(0, 50, LOOPBACK)) {
            serve(listener::accept, ClassicProgram::echo);
            try (Socket socket = SSLSocketFactory.getDefault().createSocket(LOOPBACK, listener.getLocalPort())) {
                System.out.println("tls" + tryEcho(socket));
            }
        }
    }

    /** TLS over sockets that are connected already, as mail servers and proxies have it. */
    private static void layeredTls() throws IOException {
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        try (ServerSocket listener = new ServerSocket(0, 50, LOOPBACK)) {
            serve(listener::accept, plain -> {
                SSLSocket secure = (SSLSocket) factory.createSocket(plain, "localhost", plain.getPort(), true);
                secure.setUseClientMode(false);
                echo(secure);
            });
            Socket plain = new Socket(LOOPBACK, listener.getLocalPort());
            try (Socket socket = factory.createSocket(plain, "localhost", plain.getPort(), true)) {
                System.out.println("layered tls" + tryEcho(socket));
            }
        }
    }

    private static void http() throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(LOOPBACK, 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getRequestBody().transferTo(exchange.getResponseBody());
            exchange.close();
        });
        server.start();
        try {
            int right = 0;
            for (int i = 0; i < REQUESTS; i++) {
                byte[] body = "x".repeat(i * 100).getBytes(StandardCharsets.US_ASCII);
                right += Arrays.equals(post(server.getAddress(), body), body) ? 1 : 0;
            }
            System.out.println("http" + (right == REQUESTS ? " right" : " wrong: " + right));
        } finally {
            server.stop(0);
        }
    }

    private static byte[] post(InetSocketAddress address, byte[] body) throws IOException {
        URI uri = URI.create("http://127.0.0.1:" + address.getPort() + "/");
        HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
        connection.setDoOutput(true);
        connection.setReadTimeout(30_000);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(body);
        }
        try (InputStream in = connection.getInputStream()) {
            return in.readAllBytes();
        }
    }

    /** Proxies that answer as if they had connected to the address, and echo. */
    private static void proxies() throws IOException {
        proxy(Proxy.Type.HTTP, "http proxy", ClassicProgram::answerHttp);
        proxy(Proxy.Type.SOCKS, "socks proxy", ClassicProgram::answerSocks);
    }

    private static void proxy(Proxy.Type type, String name, Serving answering) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 50, LOOPBACK)) {
            serve(listener::accept, socket -> {
                answering.serve(socket);
                echo(socket);
            });
            try (Socket socket = new Socket(new Proxy(type, listener.getLocalSocketAddress()))) {
                socket.connect(new InetSocketAddress(LOOPBACK, 9));
                System.out.println(name + tryEcho(socket));
            }
        }
    }

    private static void answerHttp(Socket socket) throws IOException {
        int newlines = 0;
        while (newlines < 2) { // an empty line ends the request
            int next = socket.getInputStream().read();
            newlines = next == '\n' ? newlines + 1 : next == '\r' ? newlines : 0;
        }
        socket.getOutputStream().write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    }

    private static void answerSocks(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        in.skipNBytes(1); // the version
        in.skipNBytes(in.readByte()); // the methods
        socket.getOutputStream().write(new byte[] {5, 0});
        in.skipNBytes(10); // a request with an address of IPv4
        socket.getOutputStream().write(new byte[] {5, 0, 0, 1, 0, 0, 0, 0, 0, 0});
    }

    /** The sockets of channels, of whichever provider, must not become ours. */
    private static void channels() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress(LOOPBACK, 0))) {
            serve(listener.socket()::accept, ClassicProgram::echo);
            try (SocketChannel channel = SocketChannel.open(listener.getLocalAddress())) {
                System.out.println("channel" + tryEcho(channel.socket()));
            }
        }
    }
}

package io.urma4j.peers;

import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.DefaultEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.SelectStrategy;
import io.grpc.netty.shaded.io.netty.channel.SelectStrategyFactory;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.local.LocalAddress;
import io.grpc.netty.shaded.io.netty.channel.local.LocalChannel;
import io.grpc.netty.shaded.io.netty.channel.local.LocalServerChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.FastThreadLocalThread;
import io.urma4j.bench.Pinned;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The event loops and channels of gRPC, by the system property {@code urma.grpc.loop}. But for {@link #DEFAULT}, each end has one
 * thread for all, on its CPU.
 */
enum GrpcLoop {
    /** As gRPC chooses them. */
    DEFAULT,
    /** The JDK's channels. */
    NIO,
    /** Epoll over TCP. */
    EPOLL,
    /** An epoll that never sleeps, over TCP. */
    BUSY,
    /** An epoll that never sleeps, over Unix-domain sockets. */
    UNIX,
    /** No socket: both ends in one process, each in its own thread. */
    LOCAL;

    private static final int MOST_BYTES = 8 << 20;

    private EventLoopGroup serverLoop;
    private EventLoopGroup clientLoop;
    private int served;

    static GrpcLoop ofProperty() {
        return valueOf(System.getProperty("urma.grpc.loop", "DEFAULT"));
    }

    NettyServerBuilder serverBuilder() {
        NettyServerBuilder builder =
                NettyServerBuilder.forAddress(fresh()).directExecutor().maxInboundMessageSize(MOST_BYTES);
        if (this == DEFAULT) {
            return builder;
        }
        serverLoop = newLoop(this == LOCAL ? 1 : Integer.getInteger("urma.cpu"));
        return builder.channelType(serverType()).bossEventLoopGroup(serverLoop).workerEventLoopGroup(serverLoop);
    }

    NettyChannelBuilder channelBuilder(String line) {
        NettyChannelBuilder builder = NettyChannelBuilder.forAddress(parse(line))
                .usePlaintext()
                .directExecutor()
                .maxInboundMessageSize(MOST_BYTES);
        if (this == DEFAULT) {
            return builder;
        }
        if (clientLoop == null) {
            clientLoop = newLoop(Integer.getInteger("urma.cpu"));
        }
        return builder.overrideAuthority("localhost").channelType(clientType()).eventLoopGroup(clientLoop);
    }

    /** Ends the threads: a busy event loop would take CPU time from the next peer in the round. */
    void end() throws InterruptedException {
        for (EventLoopGroup loop : new EventLoopGroup[] {clientLoop, serverLoop}) {
            if (loop != null) {
                loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
            }
        }
        clientLoop = null;
        serverLoop = null;
    }

    private EventLoopGroup newLoop(int cpu) {
        ThreadFactory threads = task -> new FastThreadLocalThread(() -> {
            Pinned.pin(cpu);
            task.run();
        });
        SelectStrategyFactory busy =
                () -> (supplier, hasTasks) -> hasTasks ? supplier.get() : SelectStrategy.BUSY_WAIT;
        return switch (this) {
            case NIO -> new NioEventLoopGroup(1, threads); // of the provider of the process
            case EPOLL -> new EpollEventLoopGroup(1, threads);
            case BUSY, UNIX -> new EpollEventLoopGroup(1, threads, busy);
            case LOCAL -> new DefaultEventLoopGroup(1, threads);
            case DEFAULT -> throw new IllegalStateException("gRPC has loops of its own");
        };
    }

    private Class<? extends ServerChannel> serverType() {
        return switch (this) {
            case NIO -> NioServerSocketChannel.class;
            case UNIX -> EpollServerDomainSocketChannel.class;
            case LOCAL -> LocalServerChannel.class;
            default -> EpollServerSocketChannel.class;
        };
    }

    private Class<? extends Channel> clientType() {
        return switch (this) {
            case NIO -> NioSocketChannel.class;
            case UNIX -> EpollDomainSocketChannel.class;
            case LOCAL -> LocalChannel.class;
            default -> EpollSocketChannel.class;
        };
    }

    private SocketAddress fresh() {
        String name = "grpc-" + ProcessHandle.current().pid() + "-" + served++;
        return switch (this) {
            case UNIX -> new DomainSocketAddress(Path.of(System.getProperty("urma.folder"), name).toString());
            case LOCAL -> new LocalAddress(name);
            default -> new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        };
    }

    /** Where it listens, for {@link #channelBuilder}. */
    String lineOf(Server server) {
        SocketAddress address = server.getListenSockets().getFirst();
        return switch (address) {
            case DomainSocketAddress unix -> unix.path();
            case LocalAddress local -> local.id();
            default -> String.valueOf(((InetSocketAddress) address).getPort());
        };
    }

    private SocketAddress parse(String line) {
        return switch (this) {
            case UNIX -> new DomainSocketAddress(line);
            case LOCAL -> new LocalAddress(line);
            default -> new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(line));
        };
    }
}

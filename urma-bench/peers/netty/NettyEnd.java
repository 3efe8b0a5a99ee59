package io.urma4j.peers;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.urma4j.bench.Pinned;
import io.urma4j.bench.compare.Metric;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Work;
import io.urma4j.bench.compare.end.Participant;
import io.urma4j.bench.compare.end.Tally;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/**
 * Netty on one host; everything happens in the one event loop of each side, as Netty wants it. The system property
 * {@code urma.netty.loop} is NIO, EPOLL, BUSY for an epoll that never sleeps, or UNIX for that over Unix-domain sockets;
 * the others are over TCP.
 */
public final class NettyEnd implements Participant {
    private static final String LOOP = System.getProperty("urma.netty.loop", "EPOLL");
    private static final boolean IS_UNIX_DOMAIN = LOOP.equals("UNIX");
    private static final long STOP = -1;
    private static final int SMALL_BATCH = 64;
    private static final int CONNECTIONS = 20;

    private int served;

    private static EventLoopGroup newLoop() {
        SelectStrategyFactory busy =
                () -> (supplier, hasTasks) -> hasTasks ? supplier.get() : SelectStrategy.BUSY_WAIT;
        return switch (LOOP) {
            case "NIO" -> new NioEventLoopGroup(1, NettyEnd::pinned);
            case "EPOLL" -> new EpollEventLoopGroup(1, NettyEnd::pinned, DefaultSelectStrategyFactory.INSTANCE);
            case "BUSY", "UNIX" -> new EpollEventLoopGroup(1, NettyEnd::pinned, busy);
            default -> throw new IllegalArgumentException(LOOP);
        };
    }

    private static Class<? extends ServerChannel> serverType() {
        return switch (LOOP) {
            case "NIO" -> NioServerSocketChannel.class;
            case "UNIX" -> EpollServerDomainSocketChannel.class;
            default -> EpollServerSocketChannel.class;
        };
    }

    private static Class<? extends Channel> clientType() {
        return switch (LOOP) {
            case "NIO" -> NioSocketChannel.class;
            case "UNIX" -> EpollDomainSocketChannel.class;
            default -> EpollSocketChannel.class;
        };
    }

    /** Where a home listens. */
    private SocketAddress fresh() {
        if (!IS_UNIX_DOMAIN) {
            return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        }
        Path folder = Path.of(System.getProperty("urma.folder"));
        return new DomainSocketAddress(folder.resolve("netty-" + ProcessHandle.current().pid() + "-" + served++).toString());
    }

    private static String lineOf(SocketAddress address) {
        return address instanceof InetSocketAddress tcp
                ? String.valueOf(tcp.getPort())
                : ((DomainSocketAddress) address).path();
    }

    private static SocketAddress parse(String line) {
        return IS_UNIX_DOMAIN
                ? new DomainSocketAddress(line)
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(line));
    }

    private static Thread pinned(Runnable task) {
        return new FastThreadLocalThread(() -> {
            Pinned.pin(Integer.getInteger("urma.cpu"));
            task.run();
        });
    }

    @Override
    public String version() {
        return io.netty.util.Version.identify().get("netty-transport").artifactVersion();
    }

    @Override
    public Serving serve(Task task, String leaderAddress) throws Exception {
        EventLoopGroup loop = newLoop();
        Channel server = new ServerBootstrap()
                .group(loop)
                .channel(serverType())
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1 << 20, 4 << 20))
                .childHandler(initializer(() -> new Home(task)))
                .bind(fresh())
                .sync()
                .channel();
        return new Serving() {
            @Override
            public String address() {
                return lineOf(server.localAddress());
            }

            @Override
            public void run(BooleanSupplier told) throws Exception {
                while (!told.getAsBoolean()) {
                    Thread.sleep(1); // the event loop works
                }
                server.close().sync();
                end(loop);
            }
        };
    }

    private static ChannelInitializer<Channel> initializer(java.util.function.Supplier<Messages> handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                if (!IS_UNIX_DOMAIN) {
                    channel.config().setOption(ChannelOption.TCP_NODELAY, true);
                }
                channel.pipeline().addLast(handler.get());
            }
        };
    }

    @Override
    public Tally lead(Task task, long nanos, String homeAddress) throws Exception {
        EventLoopGroup loop = newLoop();
        try {
            if (task.work() != Work.CONNECT) {
                return once(loop, task, nanos, homeAddress);
            }
            Histogram times = new Histogram(60_000_000_000L, 3);
            for (int i = 0; i < CONNECTIONS; i++) {
                times.recordValue((long) once(loop, task, 0, homeAddress).sample().nanos(Metric.MEAN));
            }
            return Tally.of(times, 1);
        } finally {
            end(loop);
        }
    }

    /** A busy event loop would take CPU time from the next peer in the round. */
    private static void end(EventLoopGroup loop) throws InterruptedException {
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }

    private static Tally once(EventLoopGroup loop, Task task, long nanos, String homeAddress) throws Exception {
        Leader leader = new Leader(task, nanos);
        Channel channel = new Bootstrap()
                .group(loop)
                .channel(clientType())
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1 << 20, 4 << 20))
                .handler(initializer(() -> leader))
                .connect(parse(homeAddress))
                .sync()
                .channel();
        try {
            return leader.result.get(nanos / 1_000_000 + 20_000, TimeUnit.MILLISECONDS);
        } finally {
            channel.close().sync();
        }
    }

    /** Cuts the stream of bytes into messages of one size, and tells the number of each. */
    private abstract static class Messages extends ChannelInboundHandlerAdapter {
        final Task task;
        private final int bytes;
        private long number;
        private int have;

        Messages(Task task) {
            this.task = task;
            this.bytes = task.bytes();
        }

        abstract void message(ChannelHandlerContext context, long number);

        void batchEnd(ChannelHandlerContext context) {}

        @Override
        public void channelRead(ChannelHandlerContext context, Object read) {
            ByteBuf buffer = (ByteBuf) read;
            try {
                while (buffer.isReadable()) {
                    while (have < Long.BYTES && buffer.isReadable()) {
                        number = number << 8 | buffer.readByte() & 0xFF;
                        have++;
                    }
                    int rest = Math.min(bytes - have, buffer.readableBytes());
                    buffer.skipBytes(rest);
                    have += rest;
                    if (have == bytes) {
                        have = 0;
                        message(context, number);
                    }
                }
            } finally {
                buffer.release();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            batchEnd(context);
            context.flush();
        }

        void write(ChannelHandlerContext context, long with) {
            ByteBuf buffer = context.alloc().directBuffer(bytes, bytes);
            buffer.writeLong(with);
            buffer.writerIndex(bytes);
            context.write(buffer, context.voidPromise());
        }
    }

    private static final class Home extends Messages {
        Home(Task task) {
            super(task);
        }

        @Override
        void message(ChannelHandlerContext context, long number) {
            if (task.work() != Work.SEND_RATE || number == STOP) {
                write(context, number);
            }
        }
    }

    private static final class Leader extends Messages {
        final CompletableFuture<Tally> result = new CompletableFuture<>();
        private final Histogram times = new Histogram(60_000_000_000L, 3);
        private final long nanos;
        private long start = System.nanoTime(); // before there is a connection
        private long then;
        private long due;
        private long sent;
        private long returned;
        private boolean stopped;

        Leader(Task task, long nanos) {
            super(task);
            this.nanos = nanos;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            if (task.work() == Work.CONNECT) {
                write(context, STOP);
                context.flush();
                return;
            }
            start = System.nanoTime();
            then = start;
            switch (task.work()) {
                case SEND_LATENCY -> {
                    write(context, 0);
                    context.flush();
                }
                case SEND_RATE -> pump(context);
                case AT_RATE -> pace(context, 1_000_000_000L / task.perSecond());
                default -> result.completeExceptionally(new IllegalArgumentException(task.work().name()));
            }
        }

        @Override
        void message(ChannelHandlerContext context, long number) {
            long now = System.nanoTime();
            if (number == STOP) {
                result.complete(
                        switch (task.work()) {
                            case CONNECT -> Tally.of(1, now - start);
                            case SEND_RATE -> Tally.of(sent, now - start);
                            case SEND_LATENCY -> Tally.of(times, 2);
                            default -> Tally.of(times, 1);
                        });
            } else if (task.work() == Work.SEND_LATENCY) {
                times.recordValue(now - then);
                then = now;
                write(context, now - start < nanos ? 0 : STOP);
            } else {
                times.recordValue(Math.max(1, now - start - number));
                returned++;
            }
        }

        /** As much as there is room for; goes on when there is room again. */
        private void pump(ChannelHandlerContext context) {
            while (context.channel().isWritable() && !stopped) {
                for (int i = 0; i < SMALL_BATCH && context.channel().isWritable(); i++) {
                    write(context, 0);
                    sent++;
                }
                if (System.nanoTime() - start >= nanos) {
                    stopped = true;
                    write(context, STOP);
                }
                context.flush();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (task.work() == Work.SEND_RATE) {
                context.executor().execute(() -> pump(context));
            }
        }

        /** One look at the clock each time around the loop. */
        private void pace(ChannelHandlerContext context, long interval) {
            long now = System.nanoTime() - start;
            boolean any = false;
            while (due < nanos && now >= due) {
                write(context, due);
                due += interval;
                sent++;
                any = true;
            }
            if (due >= nanos && returned == sent && !stopped) {
                stopped = true;
                write(context, STOP);
                any = true;
            }
            if (any) {
                context.flush();
            }
            if (!stopped) {
                context.executor().execute(() -> pace(context, interval));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            result.completeExceptionally(cause);
        }
    }
}

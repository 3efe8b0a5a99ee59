package io.urma4j.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.urma4j.bench.compare.Reach;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Work;
import io.urma4j.bench.compare.end.Participant;
import io.urma4j.bench.compare.end.Tally;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/**
 * gRPC: unary calls of bytes, answered with the same, one after the other or 64 outstanding, and streams of messages. The
 * network's row has blocking calls, as gRPC sets itself up; all others are asynchronous.
 */
public final class GrpcEnd implements Participant {
    private static final int CONNECTIONS = 20;
    private static final int OUTSTANDING = 64;
    private static final int SHORT_BYTES = 4096; // longer messages are streamed
    private static final long PATIENCE_MILLIS = 15_000;

    static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    private static final MethodDescriptor<byte[], byte[]> ECHO = method("echo", MethodDescriptor.MethodType.UNARY);
    private static final MethodDescriptor<byte[], byte[]> SINK =
            method("sink", MethodDescriptor.MethodType.CLIENT_STREAMING);

    private final GrpcLoop loop = GrpcLoop.ofProperty();

    private static MethodDescriptor<byte[], byte[]> method(String name, MethodDescriptor.MethodType type) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(type)
                .setFullMethodName("compare/" + name)
                .setRequestMarshaller(BYTES)
                .setResponseMarshaller(BYTES)
                .build();
    }

    @Override
    public String version() {
        return String.valueOf(io.grpc.internal.GrpcUtil.getGrpcBuildVersion());
    }

    private Server server() throws IOException {
        return loop.serverBuilder()
                .addService(ServerServiceDefinition.builder("compare")
                        .addMethod(ECHO, ServerCalls.asyncUnaryCall((request, answer) -> {
                            answer.onNext(request);
                            answer.onCompleted();
                        }))
                        .addMethod(SINK, ServerCalls.asyncClientStreamingCall(Sink::new))
                        .build())
                .build()
                .start();
    }

    @Override
    public Serving serve(Task task, String leaderAddress) throws Exception {
        boolean isElsewhere = loop == GrpcLoop.LOCAL; // in the leader's process
        Server server = isElsewhere ? null : server();
        return new Serving() {
            @Override
            public String address() {
                return isElsewhere ? "-" : loop.lineOf(server);
            }

            @Override
            public void run(BooleanSupplier told) throws Exception {
                while (!told.getAsBoolean()) {
                    Thread.sleep(1); // its threads work
                }
                if (!isElsewhere) {
                    server.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
                    loop.end();
                }
            }
        };
    }

    @Override
    public Tally lead(Task task, long nanos, String homeAddress) throws Exception {
        boolean isHere = loop == GrpcLoop.LOCAL;
        Server server = isHere ? server() : null;
        try {
            return lead(task, nanos, new Channels(isHere ? loop.lineOf(server) : homeAddress));
        } finally {
            if (isHere) {
                server.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
            }
            loop.end();
        }
    }

    private static Tally lead(Task task, long nanos, Channels channels) throws Exception {
        byte[] message = new byte[task.bytes()];
        if (task.work() == Work.CONNECT) {
            return connections(channels, message);
        }
        ManagedChannel channel = channels.open();
        try {
            ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, message); // connects
            if (task.reach() == Reach.NETWORK) {
                return blockingCalls(channel, message, nanos);
            }
            if (task.bytes() > SHORT_BYTES) {
                return stream(channel, message, nanos);
            }
            return calls(channel, message, nanos, task.work() == Work.SEND_RATE ? OUTSTANDING : 1);
        } finally {
            channel.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
        }
    }

    /** To one home. */
    private final class Channels {
        private final String address;

        Channels(String address) {
            this.address = address;
        }

        ManagedChannel open() {
            return loop.channelBuilder(address).build();
        }
    }

    private static Tally connections(Channels channels, byte[] message) throws InterruptedException {
        Histogram times = new Histogram(60_000_000_000L, 3);
        for (int i = 0; i < CONNECTIONS; i++) {
            long start = System.nanoTime();
            ManagedChannel channel = channels.open();
            ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, message);
            times.recordValue(System.nanoTime() - start);
            channel.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
        }
        return Tally.of(times, 1);
    }

    private static Tally blockingCalls(ManagedChannel channel, byte[] message, long nanos) {
        Histogram times = new Histogram(60_000_000_000L, 3);
        long start = System.nanoTime();
        long now = start;
        while (now - start < nanos) {
            ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, message);
            long then = System.nanoTime();
            times.recordValue(then - now);
            now = then;
        }
        return Tally.of(times, 2);
    }

    // ---- asynchronous, in the event loop

    /** That many chains of calls, each of which begins the next one when it is done. */
    private static Tally calls(ManagedChannel channel, byte[] message, long nanos, int outstanding) throws Exception {
        Calls calls = new Calls(channel, message, nanos, outstanding);
        for (int i = 0; i < outstanding; i++) {
            calls.call();
        }
        return calls.result.get(nanos / 1_000_000 + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static final class Calls {
        final CompletableFuture<Tally> result = new CompletableFuture<>();
        private final ManagedChannel channel;
        private final byte[] message;
        private final long nanos;
        private final long start = System.nanoTime();
        private final int outstanding;
        private final Histogram times = new Histogram(60_000_000_000L, 3);
        private int ended;

        Calls(ManagedChannel channel, byte[] message, long nanos, int outstanding) {
            this.channel = channel;
            this.message = message;
            this.nanos = nanos;
            this.outstanding = outstanding;
        }

        void call() {
            ClientCalls.asyncUnaryCall(
                    channel.newCall(ECHO, CallOptions.DEFAULT), message, new Call(System.nanoTime()));
        }

        /** In the event loop, as all others of the connection. */
        private void done(long began) {
            long now = System.nanoTime();
            times.recordValue(now - began);
            if (now - start < nanos) {
                call();
            } else if (++ended == outstanding) {
                result.complete(
                        outstanding == 1 ? Tally.of(times, 2) : Tally.of(times.getTotalCount(), now - start));
            }
        }

        private final class Call implements StreamObserver<byte[]> {
            private final long began;

            Call(long began) {
                this.began = began;
            }

            @Override
            public void onNext(byte[] answer) {}

            @Override
            public void onError(Throwable cause) {
                result.completeExceptionally(cause);
            }

            @Override
            public void onCompleted() {
                done(began);
            }
        }
    }

    /** As many messages as the connection takes. */
    private static Tally stream(ManagedChannel channel, byte[] message, long nanos) throws Exception {
        Source source = new Source(message, nanos);
        ClientCalls.asyncClientStreamingCall(channel.newCall(SINK, CallOptions.DEFAULT), source);
        return source.result.get(nanos / 1_000_000 + PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static final class Source implements ClientResponseObserver<byte[], byte[]> {
        final CompletableFuture<Tally> result = new CompletableFuture<>();
        private final byte[] message;
        private final long nanos;
        private final long start = System.nanoTime();
        private long sent;
        private boolean isDone;

        Source(byte[] message, long nanos) {
            this.message = message;
            this.nanos = nanos;
        }

        @Override
        public void beforeStart(ClientCallStreamObserver<byte[]> requests) {
            requests.setOnReadyHandler(() -> send(requests));
        }

        private void send(ClientCallStreamObserver<byte[]> requests) {
            while (!isDone && requests.isReady()) {
                requests.onNext(message);
                sent++;
                if (System.nanoTime() - start >= nanos) {
                    isDone = true;
                    requests.onCompleted();
                }
            }
        }

        @Override
        public void onNext(byte[] answer) {}

        @Override
        public void onError(Throwable cause) {
            result.completeExceptionally(cause);
        }

        @Override
        public void onCompleted() {
            result.complete(Tally.of(sent, System.nanoTime() - start));
        }
    }

    /** Answers when the stream of the other end is over. */
    private record Sink(StreamObserver<byte[]> answer) implements StreamObserver<byte[]> {
        @Override
        public void onNext(byte[] message) {}

        @Override
        public void onError(Throwable cause) {}

        @Override
        public void onCompleted() {
            answer.onNext(new byte[1]);
            answer.onCompleted();
        }
    }
}

package io.urma4j.peers;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.urma4j.bench.compare.Task;
import io.urma4j.bench.compare.Work;
import io.urma4j.bench.compare.end.Participant;
import io.urma4j.bench.compare.end.Tally;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/** gRPC: unary calls of bytes, answered with the same, one after the other. */
public final class GrpcEnd implements Participant {
    private static final int MOST_BYTES = 8 << 20;
    private static final int CONNECTIONS = 20;

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

    private static final MethodDescriptor<byte[], byte[]> ECHO = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("compare/echo")
            .setRequestMarshaller(BYTES)
            .setResponseMarshaller(BYTES)
            .build();

    @Override
    public String version() {
        return String.valueOf(io.grpc.internal.GrpcUtil.getGrpcBuildVersion());
    }

    @Override
    public Serving serve(Task task, String leaderAddress) throws Exception {
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .maxInboundMessageSize(MOST_BYTES)
                .addService(ServerServiceDefinition.builder("compare")
                        .addMethod(ECHO, ServerCalls.asyncUnaryCall((request, answer) -> {
                            answer.onNext(request);
                            answer.onCompleted();
                        }))
                        .build())
                .build()
                .start();
        return new Serving() {
            @Override
            public String address() {
                return String.valueOf(server.getPort());
            }

            @Override
            public void run(BooleanSupplier told) throws Exception {
                while (!told.getAsBoolean()) {
                    Thread.sleep(1); // its threads work
                }
                server.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
            }
        };
    }

    @Override
    public Tally lead(Task task, long nanos, String homeAddress) throws Exception {
        byte[] message = new byte[task.bytes()];
        Histogram times = new Histogram(60_000_000_000L, 3);
        if (task.work() == Work.CONNECT) {
            for (int i = 0; i < CONNECTIONS; i++) {
                long start = System.nanoTime();
                ManagedChannel channel = channel(homeAddress);
                ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, message);
                times.recordValue(System.nanoTime() - start);
                channel.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
            }
            return Tally.of(times, 1);
        }
        ManagedChannel channel = channel(homeAddress);
        try {
            ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, message); // connects
            long start = System.nanoTime();
            long now = start;
            while (now - start < nanos) {
                ClientCalls.blockingUnaryCall(channel, ECHO, CallOptions.DEFAULT, message);
                long then = System.nanoTime();
                times.recordValue(then - now);
                now = then;
            }
            return Tally.of(times, 2);
        } finally {
            channel.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
        }
    }

    private static ManagedChannel channel(String port) {
        return NettyChannelBuilder.forAddress("127.0.0.1", Integer.parseInt(port))
                .usePlaintext()
                .directExecutor()
                .maxInboundMessageSize(MOST_BYTES)
                .build();
    }
}

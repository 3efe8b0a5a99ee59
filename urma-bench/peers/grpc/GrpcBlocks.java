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
import io.grpc.stub.StreamObserver;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.zip.CRC32C;

/**
 * Blocks of a file by one gRPC stream, for urma-bench/numbers: a request is the number of a block and its CRC32C, the answer its bytes.
 * Both sides verify the checksum, as those of the block store do. {@code server FILE} prints its port; {@code client PORT CRC} answers each
 * line, a number of READs, with the nanoseconds of one.
 */
public final class GrpcBlocks {
    private static final int BLOCK_BYTES = 1 << 16;
    private static final int AT_ONCE = 8;
    private static final int MOST_BYTES = 1 << 20;

    private static final MethodDescriptor<byte[], byte[]> READ = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.BIDI_STREAMING)
            .setFullMethodName("blocks/read")
            .setRequestMarshaller(GrpcEnd.BYTES)
            .setResponseMarshaller(GrpcEnd.BYTES)
            .build();

    private GrpcBlocks() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("server")) {
            serve(Path.of(arguments[1]));
        } else {
            ask(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        }
        System.exit(0);
    }

    private static int crcOf(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    // ---- the server

    private static void serve(Path path) throws Exception {
        try (FileChannel file = FileChannel.open(path)) {
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .directExecutor()
                    .maxInboundMessageSize(MOST_BYTES)
                    .addService(ServerServiceDefinition.builder("blocks")
                            .addMethod(READ, ServerCalls.asyncBidiStreamingCall(to -> new Requests(file, to)))
                            .build())
                    .build()
                    .start();
            System.out.println(server.getPort());
            while (System.in.read() >= 0) {} // until its parent ends
            server.shutdownNow();
        }
    }

    /** Answers each with the bytes of its block. */
    private record Requests(FileChannel file, StreamObserver<byte[]> to) implements StreamObserver<byte[]> {
        @Override
        public void onNext(byte[] request) {
            long block = ByteBuffer.wrap(request).getLong();
            int crc = ByteBuffer.wrap(request).getInt(Long.BYTES);
            byte[] bytes = new byte[BLOCK_BYTES];
            ByteBuffer into = ByteBuffer.wrap(bytes);
            try {
                while (into.hasRemaining() && file.read(into, block * BLOCK_BYTES + into.position()) > 0) {}
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            if (crcOf(bytes) != crc) {
                throw new IllegalStateException("block " + block + " fails its checksum");
            }
            to.onNext(bytes);
        }

        @Override
        public void onError(Throwable failure) {
            // the client has ended
        }

        @Override
        public void onCompleted() {
            to.onCompleted();
        }
    }

    // ---- the client

    private static void ask(int port, int crc) throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .directExecutor()
                .maxInboundMessageSize(MOST_BYTES)
                .build();
        Answers answers = new Answers(crc);
        answers.to = ClientCalls.asyncBidiStreamingCall(channel.newCall(READ, CallOptions.DEFAULT), answers);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            int reads = Integer.parseInt(line);
            long start = System.nanoTime();
            answers.read(reads);
            System.out.println((double) (System.nanoTime() - start) / reads);
        }
        answers.closing = true;
        channel.shutdownNow();
    }

    /** Requests blocks, as many at once as the clients of the block store. All have the same bytes. */
    private static final class Answers implements StreamObserver<byte[]> {
        private final int crc;
        private StreamObserver<byte[]> to;
        private int unasked;
        private int unanswered;
        private long block;
        private CountDownLatch ended;
        private volatile boolean closing;

        Answers(int crc) {
            this.crc = crc;
        }

        void read(int reads) throws InterruptedException {
            CountDownLatch all = new CountDownLatch(1);
            synchronized (this) {
                ended = all;
                unanswered = reads;
                unasked = reads;
                for (int i = 0; i < AT_ONCE; i++) {
                    request();
                }
            }
            all.await();
        }

        private void request() {
            if (unasked-- > 0) {
                to.onNext(ByteBuffer.allocate(12)
                        .putLong(block++ & 255)
                        .putInt(crc)
                        .array());
            }
        }

        @Override
        public synchronized void onNext(byte[] bytes) {
            if (crcOf(bytes) != crc) {
                throw new IllegalStateException("a block fails its checksum");
            }
            request();
            if (--unanswered == 0) {
                ended.countDown();
            }
        }

        @Override
        public void onError(Throwable failure) {
            if (!closing) {
                failure.printStackTrace();
                System.exit(1);
            }
        }

        @Override
        public void onCompleted() {}
    }
}

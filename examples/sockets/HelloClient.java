import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * A gRPC client that knows nothing of urma4j. Calls for some seconds with one call outstanding, and then with 64, and prints
 * how long the calls took. Arguments: port, seconds for each.
 */
public final class HelloClient {
    private static final String NAME = "x".repeat(64);
    /** With two processors the compiler takes one of them for as long as this, and each call waits for it. */
    private static final long WARM_UP_NANOS = 10_000_000_000L;

    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 100};

    private HelloClient() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        long nanos = (long) (Double.parseDouble(arguments[1]) * 1e9);
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", port)
                .usePlaintext()
                .directExecutor()
                .build();
        try {
            call(channel, 64, WARM_UP_NANOS);
            print(1, call(channel, 1, nanos), nanos);
            print(64, call(channel, 64, nanos), nanos);
        } finally {
            channel.shutdownNow();
        }
    }

    private static Histogram call(ManagedChannel channel, int outstanding, long nanos) throws Exception {
        Histogram histogram = new ConcurrentHistogram(3);
        long end = System.nanoTime() + nanos;
        List<CompletableFuture<Void>> chains = new ArrayList<>();
        for (int i = 0; i < outstanding; i++) {
            Chain chain = new Chain(channel, histogram, end);
            chains.add(chain.over);
            chain.callOnce();
        }
        for (CompletableFuture<Void> over : chains) {
            over.get();
        }
        return histogram;
    }

    /** Calls one after the other: each answer, on the thread of the connection, begins the next call. */
    private static final class Chain implements StreamObserver<String> {
        final CompletableFuture<Void> over = new CompletableFuture<>();

        private final ManagedChannel channel;
        private final Histogram histogram;
        private final long end;
        private long began;

        Chain(ManagedChannel channel, Histogram histogram, long end) {
            this.channel = channel;
            this.histogram = histogram;
            this.end = end;
        }

        void callOnce() {
            began = System.nanoTime();
            ClientCalls.asyncUnaryCall(channel.newCall(Greeter.SAY_HELLO, CallOptions.DEFAULT), NAME, this);
        }

        @Override
        public void onNext(String answer) {
            if (!answer.equals("Hello, " + NAME)) {
                over.completeExceptionally(new IllegalStateException("a wrong answer: " + answer));
            }
        }

        @Override
        public void onError(Throwable cause) {
            over.completeExceptionally(cause);
        }

        @Override
        public void onCompleted() {
            long now = System.nanoTime();
            histogram.recordValue(now - began);
            if (now - end < 0 && !over.isDone()) {
                callOnce();
            } else {
                over.complete(null);
            }
        }
    }

    private static void print(int outstanding, Histogram histogram, long nanos) {
        System.out.printf(
                "%2d outstanding: %,8.0f calls/s, microseconds:", outstanding, histogram.getTotalCount() * 1e9 / nanos);
        for (double percentile : PERCENTILES) {
            System.out.printf("  p%s %.1f", percentile, histogram.getValueAtPercentile(percentile) / 1000.0);
        }
        System.out.println();
    }
}

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * A gRPC client that knows nothing of urma4j. Calls for some seconds with one call outstanding, and then with 64, and prints
 * how long the calls took. Arguments: port, seconds for each.
 */
public final class HelloClient {
    private static final String NAME = "x".repeat(64);
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
            call(channel, 1, nanos / 2); // until it is compiled
            print(1, call(channel, 1, nanos), nanos);
            print(64, call(channel, 64, nanos), nanos);
        } finally {
            channel.shutdownNow();
        }
    }

    private static Histogram call(ManagedChannel channel, int outstanding, long nanos) throws InterruptedException {
        Histogram histogram = new ConcurrentHistogram(3);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Semaphore free = new Semaphore(outstanding);
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0 && failure.get() == null) {
            free.acquire();
            long began = System.nanoTime();
            ClientCalls.asyncUnaryCall(
                    channel.newCall(Greeter.SAY_HELLO, CallOptions.DEFAULT), NAME, new StreamObserver<String>() {
                        @Override
                        public void onNext(String answer) {
                            if (!answer.equals("Hello, " + NAME)) {
                                failure.set(new IllegalStateException("a wrong answer: " + answer));
                            }
                        }

                        @Override
                        public void onError(Throwable cause) {
                            failure.set(cause);
                            free.release();
                        }

                        @Override
                        public void onCompleted() {
                            histogram.recordValue(System.nanoTime() - began);
                            free.release();
                        }
                    });
        }
        free.acquire(outstanding);
        if (failure.get() != null) {
            throw new IllegalStateException("a call failed", failure.get());
        }
        return histogram;
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

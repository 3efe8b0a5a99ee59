import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import java.net.InetSocketAddress;

/** A gRPC server that knows nothing of urma4j. Prints its port, and runs until its standard input ends. */
public final class HelloServer {
    private HelloServer() {}

    public static void main(String[] arguments) throws Exception {
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .directExecutor()
                .addService(ServerServiceDefinition.builder(Greeter.SERVICE)
                        .addMethod(Greeter.SAY_HELLO, ServerCalls.asyncUnaryCall((name, answer) -> {
                            answer.onNext("Hello, " + name);
                            answer.onCompleted();
                        }))
                        .build())
                .build()
                .start();
        System.out.println(server.getPort());
        while (System.in.read() >= 0) {
            // until its end
        }
        server.shutdownNow().awaitTermination();
    }
}

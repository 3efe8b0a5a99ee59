import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/** A broker of Kafka that is its own controller (KRaft). */
final class KafkaProgram {
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("kafka");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        int port = freePort();
        int controllerPort = freePort();
        Path configuration = Files.writeString(folder.resolve("server.properties"), """
                process.roles=broker,controller
                node.id=1
                controller.quorum.bootstrap.servers=127.0.0.1:%2$d
                listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                advertised.listeners=PLAINTEXT://127.0.0.1:%1$d,CONTROLLER://127.0.0.1:%2$d
                controller.listener.names=CONTROLLER
                inter.broker.listener.name=PLAINTEXT
                log.dirs=%3$s
                offsets.topic.replication.factor=1
                transaction.state.log.replication.factor=1
                transaction.state.log.min.isr=1
                share.coordinator.state.topic.replication.factor=1
                share.coordinator.state.topic.min.isr=1
                """.formatted(port, controllerPort, folder.resolve("log")));
        kafka.tools.StorageTool.execute(
                new String[] {
                    "format", "--standalone", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", configuration.toString()
                },
                System.err);
        Thread.ofPlatform().daemon().start(() -> kafka.Kafka.main(new String[] {configuration.toString()}));
        Served.until(port, () -> {});
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static void delete(Path folder) {
        try {
            Folders.delete(folder);
        } catch (IOException e) {
            System.err.println("left behind: " + e);
        }
    }
}

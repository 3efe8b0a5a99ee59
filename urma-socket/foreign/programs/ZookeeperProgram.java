import org.apache.curator.test.TestingServer;

/** A server of ZooKeeper. */
final class ZookeeperProgram {
    public static void main(String[] arguments) throws Exception {
        TestingServer server = new TestingServer();
        Served.until(server.getPort(), server);
    }
}

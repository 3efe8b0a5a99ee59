import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** Creates, reads and changes nodes, and awaits the watch of each change. */
final class ZookeeperCalls {
    private static final int NODES = 500;
    private static final int MOST_BYTES = 64 << 10;

    public static void main(String[] arguments) throws Exception {
        Random random = new Random(1);
        try (CuratorFramework client =
                CuratorFrameworkFactory.newClient("127.0.0.1:" + arguments[0], new RetryOneTime(1000))) {
            client.start();
            client.blockUntilConnected(30, TimeUnit.SECONDS);
            for (int i = 0; i < NODES; i++) {
                byte[] bytes = new byte[random.nextInt(MOST_BYTES)];
                random.nextBytes(bytes);
                String path = client.create().creatingParentsIfNeeded().forPath("/calls/" + i, bytes);
                CountDownLatch changed = new CountDownLatch(1);
                byte[] read = client.getData().usingWatcher((org.apache.zookeeper.Watcher) _ -> changed.countDown()).forPath(path);
                if (!Arrays.equals(read, bytes)) {
                    throw new AssertionError(path + " has other bytes");
                }
                client.setData().forPath(path, new byte[1]);
                if (!changed.await(10, TimeUnit.SECONDS)) {
                    throw new AssertionError("no watch of " + path);
                }
            }
        }
        System.out.println(NODES + " nodes created, read, changed and watched");
        System.exit(0);
    }
}

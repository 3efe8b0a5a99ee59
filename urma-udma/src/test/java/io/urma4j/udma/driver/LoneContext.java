package io.urma4j.udma.driver;

import io.urma4j.AsyncEvent;
import io.urma4j.Eid;
import io.urma4j.UrmaOptions;
import io.urma4j.udma.udp.PortOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A context as its driver knows it, with an adapter of its own. */
final class LoneContext implements AutoCloseable {
    final Adapter adapter;
    final UdmaContext context;
    final Queue<AsyncEvent> events = new ConcurrentLinkedQueue<>();

    LoneContext(Path runtime, String address, int keys) {
        InetAddress inet = InetAddress.ofLiteral(address);
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(runtime);
        adapter = Adapter.open("udma9", Eid.of(inet), PortOptions.of(inet), keys);
        context = UdmaContext.open("udma9", () -> {}, adapter, options, events::add);
    }

    @Override
    public void close() {
        context.close(Duration.ofSeconds(10)).join();
        adapter.close();
    }
}

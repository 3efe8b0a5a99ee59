package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the Flight Recorder gets of connections. */
@Timeout(60)
class SocketFlightTest {
    private static final InetSocketAddress LOOPBACK = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    @TempDir
    private Path folder;

    private String clientAddress;

    /** Opens a connection, sends 100 bytes, closes it, and returns what was recorded of it. */
    private List<RecordedEvent> recorded(UrmaSelectorProvider clients, ServerSocketChannel listener)
            throws IOException {
        Path file = folder.resolve("flight.jfr");
        try (Recording recording = new Recording()) {
            recording.start();
            exchange(clients, listener);
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("io.urma4j.Socket"))
                .filter(event -> List.of(event.getString("local"), event.getString("peer"))
                        .contains(clientAddress))
                .toList();
    }

    private void exchange(UrmaSelectorProvider clients, ServerSocketChannel listener) throws IOException {
        SocketAddress address = listener.getLocalAddress();
        try (SocketChannel client = clients.openSocketChannel()) {
            client.connect(address);
            clientAddress = ConnectionRow.text(client.getLocalAddress());
            try (SocketChannel server = listener.accept()) {
                client.write(ByteBuffer.allocate(100));
                ByteBuffer received = ByteBuffer.allocate(100);
                while (received.hasRemaining()) {
                    server.read(received);
                }
            }
        }
    }

    private static List<RecordedEvent> of(List<RecordedEvent> events, String name) {
        return events.stream()
                .filter(event -> event.getEventType().getName().equals("io.urma4j." + name))
                .toList();
    }

    @Test
    void aConnectionOverRingsIsToldWithWhatItMoved() throws IOException {
        List<RecordedEvent> events;
        try (OverRings rings = new OverRings();
                ServerSocketChannel listener =
                        rings.provider().openServerSocketChannel().bind(LOOPBACK)) {
            events = recorded(rings.provider(), listener);
        }

        assertThat(of(events, "SocketConnected"))
                .hasSize(2)
                .allSatisfy(event -> assertThat(event.getString("transport")).isEqualTo("shm0"))
                .anySatisfy(event -> assertThat(event.getDuration("took"))
                        .as("of the connect")
                        .isPositive())
                .anySatisfy(event -> assertThat(event.getDuration("took"))
                        .as("of the accept")
                        .isZero());
        assertThat(of(events, "SocketClosed"))
                .hasSize(2)
                .anySatisfy(event -> assertThat(event.getLong("written")).isEqualTo(100))
                .anySatisfy(event -> assertThat(event.getLong("read")).isEqualTo(100));
    }

    @Test
    void aConnectionOverTcpIsToldWithItsReason() throws IOException {
        List<RecordedEvent> events;
        try (OverRings rings = new OverRings();
                ServerSocketChannel foreign = ServerSocketChannel.open().bind(LOOPBACK)) {
            events = recorded(rings.provider(), foreign);
        }

        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getString("transport")).isEqualTo("tcp");
            assertThat(event.getString("reason")).isEqualTo("NO_LISTENER");
        });
    }
}

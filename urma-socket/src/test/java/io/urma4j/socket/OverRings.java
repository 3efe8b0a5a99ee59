package io.urma4j.socket;

import io.urma4j.UrmaOptions;
import io.urma4j.socket.peering.SocketSettings;
import io.urma4j.socket.peering.SocketSettings.Mode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** A provider whose connections within this process go through rings, with a runtime directory of its own. */
final class OverRings implements AutoCloseable {
    private final Path directory;
    private final LazyNode node;
    private final UrmaSelectorProvider provider;

    OverRings() {
        this(UnaryOperator.identity());
    }

    /** With other settings than the defaults, which wait for a decision longer than a busy machine needs. */
    OverRings(UnaryOperator<SocketSettings> change) {
        try {
            directory = Files.createTempDirectory("urma-socket-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        SocketSettings settings = SocketSettings.of(Mode.AUTO).withOfferTimeout(Duration.ofSeconds(10));
        node = new LazyNode(change.apply(settings), UrmaOptions.DEFAULT.withRuntimeDirectory(directory));
        provider = new UrmaSelectorProvider(node);
    }

    UrmaSelectorProvider provider() {
        return provider;
    }

    Path directory() {
        return directory;
    }

    static boolean isOverRings(SocketChannel channel) throws IOException {
        return channel.supportedOptions().contains(UrmaSocketOptions.TRANSPORT)
                && channel.getOption(UrmaSocketOptions.TRANSPORT).equals("shm0");
    }

    @Override
    public void close() throws IOException {
        node.close();
        delete(directory);
    }

    static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}

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

/**
 * A provider whose connections within this process go through rings, with a runtime directory of its own. They are those of
 * {@code shm0}, or of {@code udma0} as between two hosts, also where the property {@code urma.test.network} says so.
 */
final class OverRings implements AutoCloseable {
    /** The property. */
    static final String NETWORK = "urma.test.network";

    /** Its value. */
    static final boolean IS_OF_NETWORK = Boolean.getBoolean(NETWORK);

    private static final String ADDRESSES = "urma.udma.addresses";
    private static final Duration LONG = Duration.ofSeconds(10);

    private final Path directory;
    private final LazyNode node;
    private final UrmaSelectorProvider provider;

    OverRings() {
        this(UnaryOperator.identity());
    }

    /** With other settings than the defaults, which wait for a decision longer than a busy machine needs. */
    OverRings(UnaryOperator<SocketSettings> change) {
        this(change, IS_OF_NETWORK);
    }

    private OverRings(UnaryOperator<SocketSettings> change, boolean isOfNetwork) {
        try {
            directory = Files.createTempDirectory("urma-socket-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        node = node(change.apply(SocketSettings.of(Mode.AUTO).withOfferTimeout(LONG)), directory, isOfNetwork);
        provider = new UrmaSelectorProvider(node);
    }

    /** A node of this process or of another one of the test, which the property tells. */
    static LazyNode node(SocketSettings settings, Path directory) {
        return node(settings, directory, IS_OF_NETWORK);
    }

    static LazyNode node(SocketSettings settings, Path directory, boolean isOfNetwork) {
        UrmaOptions options = UrmaOptions.DEFAULT.withRuntimeDirectory(directory);
        return isOfNetwork
                ? new LazyNode(settings.withNetworks("127.0.0.0/8"), options.withSetting(ADDRESSES, "127.0.0.1"))
                : new LazyNode(settings, options);
    }

    /** Over the network device. */
    static OverRings ofNetwork(UnaryOperator<SocketSettings> change) {
        return new OverRings(change, true);
    }

    UrmaSelectorProvider provider() {
        return provider;
    }

    Path directory() {
        return directory;
    }

    static boolean isOverRings(SocketChannel channel) throws IOException {
        return channel.supportedOptions().contains(UrmaSocketOptions.TRANSPORT)
                && channel.getOption(UrmaSocketOptions.TRANSPORT).matches("shm0|udma0");
    }

    @Override
    public void close() throws IOException {
        node.close();
        if (Files.exists(directory)) { // at the first close
            delete(directory);
        }
    }

    static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}

package io.urma4j.socket;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** The same over the network device, as between two hosts. */
class NetworkProcessesTest extends SocketProcessesTest {
    @Override
    boolean isOfNetwork() {
        return true;
    }

    /** Bytes may be lost that the network still carried. */
    @Override
    void assertEndOfProcess(SocketChannel channel) {
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1))).isInstanceOf(SocketException.class);
    }

    /** The byte may be one of those, and then the reset comes in its place; an end never does. */
    @Override
    void assertLastByteAndEndOfProcess(SocketChannel channel) {
        assertThatThrownBy(() -> {
                    while (channel.read(ByteBuffer.allocate(1)) == 1) {
                        // the byte has come
                    }
                })
                .isInstanceOf(SocketException.class);
    }
}

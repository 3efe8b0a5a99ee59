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

    /** Bytes of a killed process may be lost, so there is no end. */
    @Override
    void assertEndOfProcess(SocketChannel channel) {
        assertThatThrownBy(() -> channel.read(ByteBuffer.allocate(1))).isInstanceOf(SocketException.class);
    }
}

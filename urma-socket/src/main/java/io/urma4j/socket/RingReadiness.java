package io.urma4j.socket;

import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.nio.channels.SelectionKey;

/** The rings say what is ready; TCP becomes readable when they have to be asked again. */
final class RingReadiness implements Readiness {
    private final RingConnection rings;

    RingReadiness(RingConnection rings) {
        this.rings = rings;
    }

    @Override
    public int innerInterest(int interest) {
        return interest == 0 || rings.hasToPoll() ? 0 : SelectionKey.OP_READ;
    }

    @Override
    public void woken() throws IOException {
        rings.drain();
    }

    @Override
    public int ready(int interest, boolean isInnerReady) {
        return rings.hangsUp() ? interest | HANGS_UP : rings.ready(interest);
    }

    @Override
    public boolean hasNews(int interest) {
        return rings.hasNews(interest);
    }

    @Override
    public void deregistered() {
        rings.deregistered();
    }

    @Override
    public boolean hasToPoll() {
        return rings.hasToPoll();
    }
}

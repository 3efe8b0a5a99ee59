package io.urma4j.socket;

import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** The JDK's channel within one of ours, and our keys, each of which stands for a key of the JDK's channel. */
final class Delegate {
    private final AbstractSelectableChannel wrapper;
    private final SelectableChannel channel;
    private final List<UrmaSelectionKey> keys = new CopyOnWriteArrayList<>();
    private volatile @Nullable Readiness readiness;

    Delegate(AbstractSelectableChannel wrapper, SelectableChannel channel) {
        this.wrapper = wrapper;
        this.channel = channel;
    }

    SelectableChannel channel() {
        return channel;
    }

    void registered(UrmaSelectionKey key) {
        keys.add(key);
        Readiness present = readiness;
        if (present != null && !key.hasReadiness()) {
            key.take(present);
        }
    }

    /** From now on the keys ask this what is ready, and not the JDK. */
    void use(Readiness next) {
        readiness = next;
        keys.forEach(key -> key.take(next));
    }

    /** The JDK's channel was read, so the selectors of the other keys may not see what has come. */
    void recheckOthers(UrmaSelectionKey key) {
        for (UrmaSelectionKey other : keys) {
            if (other != key) {
                other.wakeSelector();
            }
        }
    }

    /** The same for all keys; takes no lock. */
    void wakeSelectors() {
        keys.forEach(UrmaSelectionKey::wakeSelector);
    }

    /** The channel may have become ready, and the JDK's selector does not know. */
    void recheck() {
        keys.forEach(UrmaSelectionKey::recheck);
    }

    void deregistered(UrmaSelectionKey key) {
        keys.remove(key);
        Readiness present = readiness;
        if (present != null) {
            present.deregistered(key);
            if (keys.isEmpty() && !wrapper.isOpen()) {
                present.released();
            }
        }
    }

    /**
     * Follows the wrapper's mode. A program may cancel a key and at once make its channel blocking, which the JDK's channel
     * refuses while its own key is valid.
     */
    void configureBlocking(boolean block) throws IOException {
        if (block) {
            keys.stream().filter(key -> !key.isValid()).forEach(UrmaSelectionKey::cancelInner);
        }
        channel.configureBlocking(block);
    }

    /** Closes the wrapper if the failure has closed the JDK's channel, as an interrupt and a refused connection do. */
    <T extends Throwable> T failed(T failure) {
        if (!channel.isOpen()) {
            try {
                wrapper.close();
            } catch (IOException e) {
                failure.addSuppressed(e);
            }
        }
        return failure;
    }
}

package io.urma4j.socket;

import io.urma4j.socket.ring.RingConnection;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The rings say what is ready; TCP becomes readable when they have to be asked again. */
final class RingReadiness implements Readiness {
    private final RingConnection rings;

    private final Set<UrmaSelectionKey> keys = new HashSet<>(); // as the two below guarded by this
    private @Nullable UrmaSelectionKey marked; // whose selector the peer tells by ready words
    private @Nullable Runnable heat; // what the peer's marks do

    RingReadiness(RingConnection rings) {
        this.rings = rings;
    }

    /** The peer can mark one key. While a channel has several, a doorbell reaches them all. */
    @Override
    public synchronized void registered(UrmaSelectionKey key) {
        if (!keys.add(key)) {
            return;
        }
        UrmaSelectionKey before = marked;
        if (keys.size() == 1) {
            join(key);
        } else if (before != null) {
            leave(before);
            before.wakeSelector(); // the peer may be marking it just now, which nothing hears any more
        }
    }

    @Override
    public synchronized void deregistered(UrmaSelectionKey key) {
        keys.remove(key);
        if (key.equals(marked)) {
            leave(key);
        } else if (marked == null && keys.size() == 1) {
            UrmaSelectionKey last = keys.iterator().next();
            join(last);
            last.wakeSelector(); // which may sleep, though its new ready words say that it does not
        }
    }

    private void join(UrmaSelectionKey key) {
        Runnable action = () -> key.hotKeys().heat(key);
        marked = key;
        heat = action;
        key.hotKeys().readySets().join(rings, action);
    }

    private void leave(UrmaSelectionKey key) {
        Runnable action = heat;
        if (action != null) {
            key.hotKeys().readySets().leave(rings, action);
        }
        marked = null;
        heat = null;
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
    public void released() {
        rings.deregistered();
    }

    @Override
    public boolean hasToPoll() {
        return rings.hasToPoll();
    }
}

package io.urma4j.internal.message;

import io.urma4j.MessageChannel;
import io.urma4j.MessageChannel.Peer;
import io.urma4j.SharedJetty;
import io.urma4j.UrmaException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Caches the peers that a {@link MessageChannel} has answered last, so that not each reply imports its target. At most
 * {@link #MAX} are kept, besides those in use by replying threads; the least recently used one is evicted first. The next
 * reply to an evicted peer imports it again. Safe for any number of threads.
 */
public final class ReplyPeers {
    /** So many idle peers are kept. */
    static final int MAX = 64;

    private static final System.Logger LOG = System.getLogger(ReplyPeers.class.getName());

    private final Function<SharedJetty, Peer> connect;

    /** By the whole address, including the token: no sender can reach another's peer. Guarded by this. */
    private final Map<SharedJetty, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Entry {
        private final Peer peer;
        private int users;
        private boolean failed;

        private Entry(Peer peer) {
            this.peer = peer;
        }
    }

    public ReplyPeers(Function<SharedJetty, Peer> connect) {
        this.connect = connect;
    }

    /** Runs {@code send} with the peer at that address, which stays open meanwhile. */
    public void with(SharedJetty address, Consumer<Peer> send) {
        Entry entry = acquire(address);
        boolean succeeded = false;
        try {
            send.accept(entry.peer);
            succeeded = true;
        } finally {
            release(address, entry, succeeded);
        }
    }

    private Entry acquire(SharedJetty address) {
        synchronized (this) {
            Entry known = entries.get(address);
            if (known != null) {
                known.users++;
                return known;
            }
        }
        Entry made = new Entry(connect.apply(address)); // may take a while
        Entry taken;
        synchronized (this) {
            taken = entries.computeIfAbsent(address, _ -> made);
            taken.users++;
        }
        if (taken != made) {
            close(made.peer); // another thread was first
        }
        return taken;
    }

    private void release(SharedJetty address, Entry entry, boolean succeeded) {
        List<Peer> ended = new ArrayList<>();
        synchronized (this) {
            entry.users--;
            entry.failed |= !succeeded;
            if (entry.failed) {
                entries.remove(address, entry); // the next answer imports anew
                if (entry.users == 0) {
                    ended.add(entry.peer);
                }
            }
            Iterator<Entry> oldest = entries.values().iterator();
            while (entries.size() > MAX && oldest.hasNext()) {
                Entry next = oldest.next();
                if (next.users == 0) {
                    oldest.remove();
                    ended.add(next.peer);
                }
            }
        }
        ended.forEach(ReplyPeers::close);
    }

    public synchronized int size() {
        return entries.size();
    }

    private static void close(Peer peer) {
        try {
            peer.close();
        } catch (UrmaException e) {
            LOG.log(Level.DEBUG, () -> peer + " was not released: " + e.getMessage()); // the answer is not to blame
        }
    }
}

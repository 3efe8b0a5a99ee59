package io.urma4j.socket.peering;

import io.urma4j.RemoteSegment;
import io.urma4j.SharedSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import java.net.InetSocketAddress;
import java.util.Optional;

/** Processes of one host and user: they publish names of listeners, and map each other's memory. */
final class SharedMedium implements Medium {
    private static final System.Logger LOG = System.getLogger(SharedMedium.class.getName());

    private final UrmaContext context;
    private final ListenerName names;
    private final SocketSettings settings;
    private final Budget budget;

    SharedMedium(UrmaContext context, ListenerName names, SocketSettings settings, Budget budget) {
        this.context = context;
        this.names = names;
        this.settings = settings;
        this.budget = budget;
    }

    @Override
    public Optional<Listed> find(InetSocketAddress remote) throws RefusedException {
        for (String name : names.reachedBy(remote)) {
            try {
                return Optional.of(listed(context.lookup(name)));
            } catch (UrmaException e) {
                LOG.log(System.Logger.Level.TRACE, () -> "no listener: " + e.getMessage());
            }
        }
        return Optional.empty();
    }

    private Listed listed(SharedSegment named) throws RefusedException {
        RemoteSegment segment = context.importSegment(named);
        try {
            var found = new Listing.Found(segment, RemoteArena.homeOf(named.descriptor()));
            if (found.version() != ArenaLayout.VERSION) {
                throw RefusedException.ofVersion(found.version());
            }
            return found;
        } catch (RuntimeException | RefusedException | Error e) {
            segment.close();
            throw e;
        }
    }

    @Override
    public Arena arena() {
        return new Arena(context, settings.ringBytes(), budget, ArenaLayout.ALONE);
    }

    @Override
    public Pairing pair(Arena own, SharedSegment theirs) {
        return new SharedPairing(own, RemoteArena.open(context, theirs));
    }

    @Override
    public Pairing accept(SharedSegment theirs) {
        RemoteArena opened = RemoteArena.open(context, theirs); // first, for a peer may have none
        try {
            return new SharedPairing(arena(), opened);
        } catch (RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public String toString() {
        return "listeners of this host in " + context;
    }
}

package io.urma4j.udma.control;

import io.urma4j.spi.control.ControlFormatException;
import io.urma4j.udma.wire.Management;
import io.urma4j.udma.wire.Packet;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of peers whose control messages were captured: a greeting reveals the tags of both ends, and so does any
 * later request with its answer. For one thread at a time.
 */
public final class HeardSecrets {
    /** A context, and another that it knows by a tag. */
    private record Way(long owner, long other) {
        Way back() {
            return new Way(/* owner= */ other, /* other= */ owner);
        }
    }

    private final Map<Way, Long> tags = new HashMap<>(); // that the owner has chosen, and datagrams to it carry
    private final Map<Set<InetAddress>, Set<Long>> secrets = new HashMap<>(); // by the addresses of both ends

    /** Examines a valid packet. Most reveal nothing. */
    public void hear(InetAddress source, InetAddress destination, Packet packet) {
        ControlDatagram datagram =
                Management.isOne(packet) ? ControlDatagram.decode(Management.datagram(packet)) : null;
        if (datagram == null) {
            return;
        }
        Set<InetAddress> ends = ends(source, destination);
        Way ofReceiver = new Way(datagram.to(), datagram.from());
        Way ofSender = new Way(datagram.from(), datagram.to());
        switch (datagram.kind()) {
            case GREET -> learn(ofSender, tagIn(datagram), ends);
            case WELCOME -> {
                learn(ofReceiver, datagram.tag(), ends);
                learn(ofSender, tagIn(datagram), ends);
            }
            case REQUEST, ANSWER -> learn(ofReceiver, datagram.tag(), ends);
            case CHALLENGE, UNKNOWN, ECHO, ECHOED -> {}
        }
    }

    private static @Nullable Long tagIn(ControlDatagram greeting) {
        try {
            return Greeting.decode(greeting.body()).tag();
        } catch (ControlFormatException e) {
            return null; // damaged, or of another version
        }
    }

    private void learn(Way way, @Nullable Long tag, Set<InetAddress> ends) {
        if (tag == null) {
            return;
        }
        tags.put(way, tag);
        Long back = tags.get(way.back());
        if (back != null) { // of an earlier greeting, perhaps: then nothing will be right with it
            secrets.computeIfAbsent(ends, _ -> new LinkedHashSet<>()).add(PacketSecret.of(tag, back));
        }
    }

    /** The possible secrets of packets between two hosts, the most recent last. */
    public List<Long> between(InetAddress one, InetAddress other) {
        return List.copyOf(secrets.getOrDefault(ends(one, other), Set.of()));
    }

    private static Set<InetAddress> ends(InetAddress one, InetAddress other) {
        return new HashSet<>(List.of(one, other));
    }
}

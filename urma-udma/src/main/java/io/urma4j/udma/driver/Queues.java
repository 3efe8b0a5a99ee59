package io.urma4j.udma.driver;

import io.urma4j.JettyGroupConfig;
import io.urma4j.JettyId;
import io.urma4j.JfcConfig;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.spi.ProviderJettyGroup;
import io.urma4j.spi.ProviderJfc;
import io.urma4j.spi.ProviderReceiveQueue;
import io.urma4j.spi.ProviderSendQueue;
import io.urma4j.spi.support.IdSpace;
import io.urma4j.spi.support.IntTable;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.control.Peer;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The queues of a context, and their shared state. */
final class Queues {
    private final LocalContext local;
    private final Peers peers;
    private final IntTable<RecordOwner> owners = new IntTable<>();
    private final IdSpace jfcIds = new IdSpace("JFC", JettyId.MAX);
    private final IdSpace queueIds = new IdSpace("queue", JettyId.MAX);
    private final List<UdmaJfc> jfcs = new CopyOnWriteArrayList<>();
    private final List<UdmaSendQueue> sendQueues = new CopyOnWriteArrayList<>();
    private final List<UdmaJettyGroup> groups = new CopyOnWriteArrayList<>();
    private final Map<Integer, Importable> importables = new ConcurrentHashMap<>();

    Queues(LocalContext local, Peers peers) {
        this.local = local;
        this.peers = peers;
    }

    LocalContext local() {
        return local;
    }

    Peers peers() {
        return peers;
    }

    /** The owners of records in the context's completion queues, by tag; a closed one is removed. */
    IntTable<RecordOwner> owners() {
        return owners;
    }

    // ---- making

    ProviderJfc createJfc(JfcConfig config, Runnable onEvent) {
        return made(jfcIds, jfcIds.take(0), jfcs, id -> new UdmaJfc(this, id, config, onEvent));
    }

    ProviderReceiveQueue createReceiveQueue(JfrConfig config, ProviderJfc jfc) {
        return made(queueIds, takeId(config.id()), null, id -> new UdmaReceiveQueue(this, id, config, (UdmaJfc) jfc));
    }

    ProviderSendQueue createSendQueue(
            JfsConfig config,
            ProviderJfc jfc,
            @Nullable ProviderReceiveQueue receives,
            @Nullable ProviderJfc receiveJfc) {
        return made(
                queueIds,
                takeId(config.id()),
                sendQueues,
                id -> new UdmaSendQueue(
                        this, id, config, (UdmaJfc) jfc, (UdmaReceiveQueue) receives, (UdmaJfc) receiveJfc));
    }

    ProviderJettyGroup createJettyGroup(JettyGroupConfig config) {
        return made(queueIds, takeId(config.id()), groups, id -> new UdmaJettyGroup(this, id, config));
    }

    /** An object with that id, which a failure gives back; {@code all} lists it if it is not null. */
    private static <T> T made(IdSpace ids, int id, @Nullable List<T> all, IntFunction<T> make) {
        try {
            T made = make.apply(id);
            if (all != null) {
                all.add(made);
            }
            return made;
        } catch (RuntimeException e) {
            ids.give(id);
            throw e;
        }
    }

    /**
     * Takes an id. An id that was not requested is unused in all contexts of the device, so that it is free as a number on
     * the wire as well.
     */
    private int takeId(int wanted) {
        if (wanted != 0) {
            return queueIds.take(wanted);
        }
        for (int tries = 0; tries < JettyId.MAX; tries++) {
            try {
                return queueIds.take(local.adapter().nextQueueId());
            } catch (UrmaException e) {
                if (e.status() != UrmaStatus.EEXIST) {
                    throw e;
                }
            }
        }
        throw new UrmaException(UrmaStatus.ENOMEM, local, "all ids of queues are taken");
    }

    /** Creates an object of the card with the number that applications see if it is free on the wire, as records tell it. */
    static int create(int id, IntUnaryOperator command) {
        int made = id < CardCommands.FIRST_NUMBER ? 0 : command.applyAsInt(id);
        return made != 0 ? made : command.applyAsInt(0);
    }

    /** Takes a tag for a receiver's records and events. */
    int attach(UdmaReceiveQueue.Receives receiver) {
        int tag = local.adapter().tag(receiver);
        owners.put(tag, receiver);
        return tag;
    }

    /** Peers can import that queue from now on. */
    void announce(int number, Importable queue) {
        importables.put(number, queue);
    }

    // ---- ending

    /** They cannot any more. */
    void withdraw(int number) {
        Importable gone = importables.remove(number);
        RcBinding binding = gone == null ? null : gone.binding();
        if (binding != null) {
            binding.close();
        }
    }

    /** The queue with that tag is closed, on the card as well: its unpolled records disappear. */
    void detach(int tag) {
        RecordOwner owner = owners.get(tag);
        if (owner != null) {
            local.eventLoop().run(card -> jfcs.forEach(jfc -> jfc.remove(card, tag, owner)));
        }
        owners.remove(tag); // last: a thread that finds no owner finds what it left in a lock-free JFC
        local.adapter().untag(tag);
    }

    void forget(UdmaJfc jfc) {
        jfcs.remove(jfc);
        jfcIds.give(jfc.id());
    }

    void forget(UdmaSendQueue queue) {
        sendQueues.remove(queue);
        queueIds.give(queue.id());
    }

    void forget(UdmaReceiveQueue queue) {
        queueIds.give(queue.id());
    }

    /** Frees a tag: its unpolled records are skipped once this returns. */
    void forgetClosed() {
        jfcs.forEach(UdmaJfc::forgetClosed);
    }

    void forget(UdmaJettyGroup group) {
        groups.remove(group);
        queueIds.give(group.id());
    }

    // ---- what concerns several

    /** The queue or group with that number on the wire; null if peers cannot import it. */
    @Nullable
    Importable importable(int number) {
        return importables.get(number);
    }

    /** The engine's thread. */
    void peerLost(Peer peer) {
        importables.values().stream().map(Importable::binding).forEach(binding -> {
            if (binding != null) {
                binding.peerLost(peer);
            }
        });
    }

    List<UdmaSendQueue> sendQueues() {
        return sendQueues.stream()
                .sorted(Comparator.comparingInt(UdmaSendQueue::id))
                .toList();
    }

    /** The positions of a queue's unpolled records, markers apart, in any JFC. By the holder of the card's lock. */
    Set<Long> unpolled(int tag) {
        Set<Long> positions = new HashSet<>();
        jfcs.forEach(jfc -> jfc.gatherUnpolled(tag, positions));
        return positions;
    }

    void memberFailed(UdmaSendQueue failed) {
        groups.forEach(group -> group.memberFailed(failed));
    }

    /** Releases what finished work requests still hold, because their records were not polled. */
    void settle() {
        jfcs.forEach(UdmaJfc::settle);
        sendQueues.forEach(UdmaSendQueue::settle);
    }
}

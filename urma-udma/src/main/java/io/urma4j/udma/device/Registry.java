package io.urma4j.udma.device;

import io.urma4j.libc.NativeMemory;
import io.urma4j.udma.command.CardCommands;
import io.urma4j.udma.command.PeerInfo;
import io.urma4j.udma.ring.Cqe;
import io.urma4j.udma.transport.ReceiveWork;
import io.urma4j.udma.transport.Receivers;
import io.urma4j.udma.transport.Route;
import org.jspecify.annotations.Nullable;

/**
 * The owners of numbers on the wire. Queues, groups and shared connections share one number space, so that a number has one
 * meaning in all headers.
 */
final class Registry implements Receivers, KeyTable.Peers {
    private final WireNumbers<Owner> numbers =
            new WireNumbers<>(CardCommands.FIRST_NUMBER, CardCommands.FIRST_CONNECTION - 1);

    private @Nullable CardConnection lastLink; // that was asked for: packets in a row are mostly of one

    /** The owner of a number: one of these, or a connected Jetty, which has two. */
    private static final class Owner {
        @Nullable
        Receiver receiver;

        @Nullable
        Group group;

        @Nullable
        CardConnection link;
    }

    /** Takes this number, or any if it is 0; returns 0 if it is taken. */
    int take(int wanted) {
        return numbers.put(wanted, new Owner());
    }

    /** The same for a shared connection, whose numbers are above those of queues. */
    int takeConnection(int wanted) {
        int number = take(wanted);
        if (number < CardCommands.FIRST_CONNECTION) {
            throw new IllegalArgumentException("no connection can have the number " + wanted);
        }
        return number;
    }

    boolean isTaken(int number) {
        return numbers.get(number) != null;
    }

    void give(int number) {
        forgetLast();
        numbers.remove(number);
    }

    void receiver(int number, @Nullable Receiver receiver) {
        owner(number).receiver = receiver;
    }

    void group(int number, Group group) {
        owner(number).group = group;
    }

    void link(int number, @Nullable CardConnection link) {
        forgetLast();
        owner(number).link = link;
    }

    private void forgetLast() {
        lastLink = null;
    }

    private Owner owner(int number) {
        Owner owner = numbers.get(number);
        if (owner == null) {
            throw new IllegalArgumentException("unknown number " + number);
        }
        return owner;
    }

    /** The connection with this number on this side; null if there is none. */
    @Nullable
    CardConnection link(int number) {
        CardConnection last = lastLink;
        if (last != null && last.number() == number) {
            return last;
        }
        Owner owner = numbers.get(number);
        lastLink = owner == null ? null : owner.link;
        return lastLink;
    }

    /** What waits for copies of the connection with this number. */
    CopyWaiter copyWaiter(int number) {
        CardConnection link = link(number);
        return link == null ? CopyWaiter.NONE : link;
    }

    /** What receives under this number; null if nothing does. */
    @Nullable
    Receiver receiver(int number) {
        Owner owner = numbers.get(number);
        return owner == null ? null : owner.receiver;
    }

    /** The same, of a queue that must receive. */
    Receiver member(int number) {
        Receiver receiver = receiver(number);
        if (receiver == null) {
            throw new IllegalArgumentException("queue " + number + " receives nothing");
        }
        return receiver;
    }

    /** The queue that receives datagrams for this number; null if there is none. */
    @Nullable
    Receiver datagramReceiver(int number) {
        Receiver receiver = receiver(number);
        boolean takes = receiver != null && receiver.queue().config().datagrams();
        return takes ? receiver : null;
    }

    @Override
    public @Nullable ReceiveWork receiver(int queue, int hint, int sourceQueue, int connection) {
        Owner owner = numbers.get(queue);
        if (owner == null) {
            return null;
        }
        Receiver receiver = owner.group == null ? owner.receiver : owner.group.choose(hint);
        if (receiver == null || receiver.refuses() || receiver.queue().config().datagrams()) {
            return null;
        }
        SendQueue jetty = receiver.jetty();
        boolean isRc = receiver.queue().config().connected() || (jetty != null && jetty.isRc());
        boolean byItsOwn = owner.link != null && queue == connection;
        return isRc == byItsOwn ? receiver : null;
    }

    @Override
    public int peerOf(int connection) {
        CardConnection link = link(connection);
        return link == null ? 0 : link.peer().number();
    }

    /** The sender in a record (see {@code Cqe}): the words for remote, EID high, EID low; none without a connection. */
    void fillRemote(NativeMemory ring, long at, int sourceQueue, int connection) {
        CardConnection link = link(connection);
        if (link != null) {
            Route route = link.route();
            PeerInfo peer = link.peer();
            int named = !link.isShared() && link.config().remoteId() != 0
                    ? link.config().remoteId()
                    : sourceQueue;
            long remote = named | (long) peer.uasid() << Cqe.UASID_SHIFT | (long) peer.pathNumber() << Cqe.PATH_SHIFT;
            Cqe.remote(ring, at, remote, route.eidHigh(), route.eidLow());
        }
    }
}

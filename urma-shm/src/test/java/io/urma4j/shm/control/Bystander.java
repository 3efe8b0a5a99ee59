package io.urma4j.shm.control;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.Jfs;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.RemoteSegment;
import io.urma4j.SharedJetty;
import io.urma4j.SharedMemory;
import io.urma4j.SharedSegment;
import io.urma4j.TargetJetty;
import io.urma4j.UrmaContext;
import io.urma4j.tck.Patience;
import io.urma4j.tck.Payload;

/**
 * An honest peer that sends to a victim and reads from it while others do it harm. Has a thread of its own; each round
 * trip must come within {@link Patience#LIMIT}, and unspoilt.
 */
final class Bystander implements AutoCloseable {
    private static final int LONGEST = 300_000; // several chunks

    private final Jfc sendJfc;
    private final Jfs jfs;
    private final SharedMemory sendMemory;
    private final LocalSegment source;
    private final TargetJetty target;
    private final RemoteSegment remote;
    private final Jfc receiveJfc;
    private final Jfr jfr;
    private final SharedMemory receiveMemory;
    private final LocalSegment place;
    private final CompletionBatch batch = new CompletionBatch(8);
    private final Thread thread;
    private volatile Throwable failure;
    private volatile long trips;
    private volatile boolean stopped;

    Bystander(UrmaContext friend, UrmaContext victim) {
        receiveJfc = victim.createJfc(JfcConfig.DEFAULT);
        jfr = victim.createJfr(receiveJfc, JfrConfig.builder().build());
        receiveMemory = victim.allocate(LONGEST);
        place = victim.register(receiveMemory, Access.READ);
        sendJfc = friend.createJfc(JfcConfig.DEFAULT);
        jfs = friend.createJfs(sendJfc, JfsConfig.DEFAULT);
        sendMemory = friend.allocate(2L * LONGEST);
        source = friend.register(sendMemory, Access.LOCAL_ONLY);
        target = friend.importJetty(new SharedJetty(jfr.descriptor(), jfr.token()));
        remote = friend.importSegment(new SharedSegment(place.descriptor(), place.token()));
        thread = Thread.ofPlatform().daemon().name("bystander").start(this::run);
    }

    private void run() {
        try {
            for (long number = 0; !stopped; number++) {
                trip(number);
                trips = number + 1;
            }
        } catch (RuntimeException | AssertionError e) {
            failure = e;
        }
    }

    private void trip(long number) {
        int lengthBytes = 8 + (int) (number * 7919 % (number % 50 == 0 ? LONGEST - 8 : 400));
        var payload = new Payload(number);
        source.memory().set(JAVA_LONG, 0, number);
        payload.fill(source.memory(), 8, 0, lengthBytes - 8);
        check(jfr.receive(place, 0, LONGEST, number), "the receive is accepted");
        check(jfs.send(target, source, 0, lengthBytes, number), "the send is accepted");
        await(receiveJfc, number, lengthBytes);
        await(sendJfc, number, lengthBytes);
        check(payload.firstDifference(place.memory(), 8, 0, lengthBytes - 8) < 0, "the message is whole");
        check(jfs.read(remote, 0, source, LONGEST, lengthBytes, number), "the read is accepted");
        await(sendJfc, number, lengthBytes);
        check(payload.firstDifference(source.memory(), LONGEST + 8, 0, lengthBytes - 8) < 0, "the read is right");
    }

    private void await(Jfc jfc, long number, long lengthBytes) {
        Patience.await("bystander's record " + number, () -> jfc.poll(batch) > 0);
        check(
                batch.size() == 1
                        && batch.isSuccess(0)
                        && batch.userContext(0) == number
                        && batch.lengthBytes(0) == lengthBytes,
                batch + " is record " + number + " of " + lengthBytes + " bytes");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError("not true of the bystander: " + what);
        }
    }

    /** How many messages came and were read back. */
    long trips() {
        if (failure != null) {
            throw new AssertionError("the bystander was harmed", failure);
        }
        return trips;
    }

    /** Waits for another round trip, to show that it continues. */
    void assertServed() {
        long before = trips();
        Patience.await("the bystander's next round trip", () -> trips() > before + 1);
    }

    @Override
    public void close() {
        stopped = true;
        Patience.await("the bystander's end", () -> !thread.isAlive());
        trips();
        target.close();
        remote.close();
        jfs.close();
        sendJfc.close();
        source.close();
        sendMemory.close();
        jfr.close();
        receiveJfc.close();
        place.close();
        receiveMemory.close();
    }
}

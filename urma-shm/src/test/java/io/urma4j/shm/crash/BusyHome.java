package io.urma4j.shm.crash;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.CompletionBatch;
import io.urma4j.Jetty;
import io.urma4j.Jfc;
import io.urma4j.JfcConfig;
import io.urma4j.Jfr;
import io.urma4j.JfrConfig;
import io.urma4j.JfsConfig;
import io.urma4j.LocalSegment;
import io.urma4j.Revocation;
import io.urma4j.SharedJetty;
import io.urma4j.SharedMemory;
import io.urma4j.TransportMode;
import io.urma4j.UrmaContext;
import io.urma4j.tck.Payload;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** A home that receives, and takes its segment back now and then, while initiators come and die. */
final class BusyHome {
    private static final int RECEIVES = 16;
    private static final int SEGMENT_BYTES = OneSidedStep.AREA + 4096;

    private final UrmaContext context;
    private final String name;
    private final SharedMemory memory;
    private final Jfc jfc;
    private final Jfr jfr;
    private final SharedMemory bufferMemory;
    private final LocalSegment buffers;
    private final Jfr connectedJfr;
    private final Jetty connected;
    private final Duration revocationLimit;
    private final List<String> wrongs = new CopyOnWriteArrayList<>();
    private final AtomicLong received = new AtomicLong();
    private final AtomicLong revocations = new AtomicLong();
    private final List<Thread> threads;
    private LocalSegment segment; // of the revoker, once it runs
    private volatile boolean stopped;

    /**
     * Begins.
     *
     * @param name under which its segment is published
     * @param pauseMicros between two revocations of the segment
     */
    BusyHome(UrmaContext context, String name, long pauseMicros) {
        this(context, name, pauseMicros, CrashIT.DEADLINE);
    }

    /** The same; each revocation must be complete within {@code revocationLimit}. */
    BusyHome(UrmaContext context, String name, long pauseMicros, Duration revocationLimit) {
        this.context = context;
        this.revocationLimit = revocationLimit;
        this.name = name;
        memory = context.allocate(SEGMENT_BYTES);
        segment = register();
        jfc = context.createJfc(JfcConfig.DEFAULT);
        jfr = context.createJfr(jfc, JfrConfig.builder().build());
        bufferMemory = context.allocate((long) RECEIVES * MessageStep.LONGEST);
        buffers = context.register(bufferMemory, Access.LOCAL_ONLY);
        connectedJfr = context.createJfr(
                jfc, JfrConfig.builder().mode(TransportMode.RC).build());
        connected = context.createJetty(
                jfc, connectedJfr, JfsConfig.builder().mode(TransportMode.RC).build());
        for (int i = 0; i < RECEIVES; i++) {
            jfr.receive(buffers, (long) i * MessageStep.LONGEST, MessageStep.LONGEST, i);
        }
        threads = List.of(start("receiver", this::receive), start("revoker", () -> revoke(pauseMicros)));
    }

    private Thread start(String what, Runnable loop) {
        return Thread.ofPlatform().daemon().name(what).start(() -> {
            try {
                loop.run();
            } catch (RuntimeException | AssertionError e) {
                if (!stopped) {
                    wrongs.add(what + ": " + e);
                }
            }
        });
    }

    private LocalSegment register() {
        LocalSegment made = context.register(memory, Access.READ_WRITE_ATOMIC);
        made.publish(name);
        return made;
    }

    SharedJetty jetty() {
        return new SharedJetty(jfr.descriptor(), jfr.token());
    }

    SharedJetty connected() {
        return new SharedJetty(connected.descriptor(), connected.token());
    }

    private void receive() {
        var batch = new CompletionBatch(16);
        while (!stopped) {
            int count = jfc.poll(batch);
            for (int i = 0; i < count; i++) {
                long number = batch.userContext(i);
                long at = number * MessageStep.LONGEST;
                if (!batch.isSuccess(i)) {
                    wrongs.add("receive " + batch.completion(i));
                } else {
                    check(at, batch.lengthBytes(i));
                }
                received.incrementAndGet();
                jfr.receive(buffers, at, MessageStep.LONGEST, number);
            }
            if (count == 0) {
                LockSupport.parkNanos(20_000);
            }
        }
    }

    /** A message is whole, or absent: the death of a sender never shows in it. */
    private void check(long at, long lengthBytes) {
        long seed = buffers.memory().get(JAVA_LONG, at);
        long difference = new Payload(seed).firstDifference(buffers.memory(), at + 8, 0, lengthBytes - 8);
        if (difference >= 0) {
            wrongs.add("byte " + difference + " of a message of " + lengthBytes + " is wrong");
        }
    }

    private void revoke(long pauseMicros) {
        while (!stopped) {
            LockSupport.parkNanos(pauseMicros * 1_000);
            revokeOnce();
            segment = register();
        }
    }

    /** After a complete unregister no process, dead or alive, changes the memory. */
    private void revokeOnce() {
        long begun = System.nanoTime();
        Revocation revocation = segment.unregister(revocationLimit);
        if (!revocation.isComplete()) {
            Duration elapsed = Duration.ofNanos(System.nanoTime() - begun);
            wrongs.add("not revoked: " + revocation + " after " + elapsed + "; of its home "
                    + EngineStacks.ofThisProcess());
            return;
        }
        revocations.incrementAndGet();
        var quiet = new Payload(revocations.get());
        quiet.fill(memory.segment(), 0, 0, 4096);
        LockSupport.parkNanos(100_000);
        if (quiet.firstDifference(memory.segment(), 0, 0, 4096) >= 0) {
            wrongs.add("the memory was written to after its revocation");
        }
    }

    long received() {
        return received.get();
    }

    long revocations() {
        return revocations.get();
    }

    List<String> wrongs() {
        return wrongs;
    }

    /** Ends it in order; the context stays. */
    void end() throws InterruptedException {
        stopped = true;
        for (Thread thread : threads) {
            LockSupport.unpark(thread); // it may have a long pause before it
            if (!thread.join(revocationLimit.plus(CrashIT.DEADLINE))) {
                wrongs.add(thread.getName() + " of the home hangs");
            }
        }
        segment.unregister(CrashIT.DEADLINE);
        memory.close();
        connected.close();
        connectedJfr.close();
        jfr.close();
        jfc.close();
        buffers.close();
        bufferMemory.close();
    }
}

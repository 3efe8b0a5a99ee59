package io.urma4j.shm.crash;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.TargetJetty;
import io.urma4j.tck.Payload;

/** Sends messages of all sizes; the first word of each says what the others must be. */
final class MessageStep implements Trouble.Step {
    static final int LONGEST = 1024 * 1024; // several chunks, so that some die half-way

    @Override
    public void run(Trouble trouble, long round) {
        var context = trouble.context;
        try (var memory = context.allocate(LONGEST);
                var local = context.register(memory, Access.LOCAL_ONLY);
                var queue = new AccountedQueue(context, trouble.queueTimeout);
                var target = context.importJetty(trouble.jetty)) {
            trouble.imports.incrementAndGet();
            try {
                fill(local, round);
                send(trouble, local, queue, target);
            } finally {
                trouble.settled(queue);
            }
        }
    }

    static void fill(LocalSegment local, long seed) {
        local.memory().set(JAVA_LONG, 0, seed);
        new Payload(seed).fill(local.memory(), 8, 0, LONGEST - 8);
    }

    private static void send(Trouble trouble, LocalSegment local, AccountedQueue queue, TargetJetty target) {
        for (int i = 0; i < 40 && !trouble.isStopped() && !queue.hasFailed(); i++) {
            int lengthBytes = 8 + (1 << i % 20);
            queue.post((jfs, n) -> jfs.send(target, local, 0, lengthBytes, n));
            queue.poll();
        }
    }
}

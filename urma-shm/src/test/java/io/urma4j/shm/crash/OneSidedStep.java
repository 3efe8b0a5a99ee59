package io.urma4j.shm.crash;

import io.urma4j.Access;
import io.urma4j.LocalSegment;
import io.urma4j.Opcode;
import io.urma4j.PostFlags;
import io.urma4j.RemoteSegment;
import io.urma4j.tck.Payload;

/** Looks the home's segment up, writes to it, reads it back and compares, adds, and releases it. */
final class OneSidedStep implements Trouble.Step {
    /** The part of the segment that initiators write to; behind it lies a counter. */
    static final int AREA = 256 * 1024;

    static final long COUNTER = AREA;

    @Override
    public void run(Trouble trouble, long round) {
        var context = trouble.context;
        try (var memory = context.allocate(2L * AREA);
                var local = context.register(memory, Access.LOCAL_ONLY);
                var queue = new AccountedQueue(context, trouble.queueTimeout)) {
            try {
                operate(trouble, round, local, queue);
            } finally {
                trouble.settled(queue);
            }
        }
    }

    private static void operate(Trouble trouble, long round, LocalSegment local, AccountedQueue queue) {
        try (var remote = trouble.context.importSegment(trouble.context.lookup(trouble.name))) {
            trouble.imports.incrementAndGet();
            for (int i = 0; i < 20 && !trouble.isStopped() && !queue.hasFailed(); i++) {
                int lengthBytes = 1 << ((round + i) % 19);
                writeAndReadBack(trouble, remote, local, queue, new Payload(round * 100 + i), lengthBytes);
            }
            queue.await(trouble.patience()); // or it could not be closed
        }
    }

    private static void writeAndReadBack(
            Trouble trouble,
            RemoteSegment remote,
            LocalSegment local,
            AccountedQueue queue,
            Payload payload,
            int lengthBytes) {
        payload.fill(local.memory(), 0, 0, lengthBytes);
        queue.post((jfs, n) -> jfs.write(remote, 0, local, 0, lengthBytes, n));
        queue.post((jfs, n) -> jfs.atomic(Opcode.FADD, remote, COUNTER, local, AREA, 8, 1, 0, n, PostFlags.DEFAULT));
        queue.post((jfs, n) -> jfs.read(remote, 0, local, AREA, lengthBytes, n));
        if (queue.finish()) {
            long difference = payload.firstDifference(local.memory(), AREA, 0, lengthBytes);
            if (difference >= 0) {
                trouble.wrong("byte " + difference + " of " + lengthBytes + " came back wrong");
            }
        }
    }
}

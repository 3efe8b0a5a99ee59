package io.urma4j;

import java.util.List;

/** Send queues of no device, for tests outside of this package. */
public final class FakeQueues {
    private FakeQueues() {}

    /** Of all queues of a context, keeps the records back, or hands them out. */
    public static void hold(UrmaContext context, boolean on) {
        FakeContext.of(context).sendQueues.forEach(queue -> queue.hold(on));
    }

    /** As many unfinished work requests name a segment. */
    public static void unfinished(UrmaContext context, LocalSegment segment, int count) {
        FakeContext.FakeSegment.of(segment, context).unfinished = count;
    }

    /** How the next work requests of a context end. */
    public static void endNext(UrmaContext context, CompletionStatus... results) {
        FakeContext.of(context).results.addAll(List.of(results));
    }

    /** Finds its queues full after that many more work requests. */
    public static void leaveRoom(UrmaContext context, int requests) {
        FakeContext.of(context).sendQueues.forEach(queue -> {
            queue.room = requests;
            queue.marksErrors = true;
        });
    }

    /** What its first queue was given: opcode, then lengths. */
    public static List<String> posts(UrmaContext context) {
        return FakeContext.of(context).sendQueues.getFirst().posts;
    }

    /** Records that its first queue made. */
    public static int records(UrmaContext context) {
        return FakeContext.of(context).sendQueues.getFirst().records;
    }
}

package io.urma4j.bench;

import io.urma4j.tools.CompilerThreads;
import java.time.Duration;
import java.util.Arrays;

/**
 * Takes the time of a subject and its peer, in turns: subject, peer, subject, peer.
 *
 * <p>A round is cut into chunks of a fraction of a millisecond, and its value is the median chunk. So a chunk in which
 * the machine did something else counts once, however long it took, and does not shift the value.
 *
 * @param rounds how many rounds
 * @param roundNanos how long each lasts, for each of the two
 * @param warmUpNanos how long each runs before anything counts; longer, while there is much to compile
 * @param warmUpChunks and how many chunks: on a busy machine time alone is no warm-up, for the JIT waits for a CPU too
 * @param leastChunks how many a round has, however long they take
 */
public record Alternation(int rounds, long roundNanos, long warmUpNanos, int warmUpChunks, int leastChunks) {
    private static final int LEAST_WARM_UPS = 2;
    private static final int MOST_WARM_UPS = 8;
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration QUIET = Duration.ofMillis(10); // of compiling in a warm-up and its rest

    /** With a usual warm-up, and at least five chunks a round. */
    public Alternation(int rounds, long roundNanos, long warmUpNanos) {
        this(rounds, roundNanos, warmUpNanos, 200, 5);
    }

    /** The same for chunks of many milliseconds, of which a few are warm-up enough. */
    Alternation forLongChunks(int warmUpChunks) {
        return new Alternation(rounds, roundNanos, 0, warmUpChunks, 3);
    }

    /** The same for ways through so much code that it takes as many chunks until all of it is compiled. */
    Alternation forMuchCode(int warmUpChunks) {
        return new Alternation(rounds, roundNanos, warmUpNanos, warmUpChunks, leastChunks);
    }

    /** Nanoseconds per operation of both, round by round. */
    public Rounds measure(Timed subject, Timed peer) {
        warmUp(subject, peer);
        Rounds result = new Rounds(rounds);
        for (int round = 0; round < rounds; round++) {
            result.subject(round, round(subject, roundNanos, leastChunks));
            result.peer(round, round(peer, roundNanos, leastChunks));
        }
        return result;
    }

    /**
     * In turns, so that neither is compiled in the light of its first calls alone, until the compilers of all processes have
     * nothing more to do.
     */
    private void warmUp(Timed subject, Timed peer) {
        CompilerThreads compilers = CompilerThreads.ofThisAndChildren();
        boolean isCompiling = true;
        for (int i = 0; i < LEAST_WARM_UPS || (isCompiling && i < MOST_WARM_UPS); i++) {
            long before = compilers.spentNanos();
            round(subject, warmUpNanos / LEAST_WARM_UPS, warmUpChunks);
            round(peer, warmUpNanos / LEAST_WARM_UPS, warmUpChunks);
            rest(compilers);
            isCompiling = compilers.spentNanos() - before > QUIET.toNanos();
        }
    }

    private static void rest(CompilerThreads compilers) {
        try {
            compilers.awaitRest(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted in the warm-up", e);
        }
    }

    private static double round(Timed timed, long spanNanos, int leastChunks) {
        double[] chunks = new double[64];
        int count = 0;
        timed.begin();
        long start = System.nanoTime();
        while (count < leastChunks || System.nanoTime() - start < spanNanos) {
            if (count == chunks.length) {
                chunks = Arrays.copyOf(chunks, 2 * count);
            }
            chunks[count++] = timed.chunkNanos();
        }
        timed.end();
        return Rounds.median(Arrays.copyOf(chunks, count));
    }
}

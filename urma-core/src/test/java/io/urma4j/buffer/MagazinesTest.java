package io.urma4j.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.urma4j.Access;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Chunks by their numbers, in magazines and out. */
class MagazinesTest {
    private static final int CHUNKS = 200; // more than the first table of numbers has
    private static final int CHUNK_BYTES = 4096;

    private final Magazines magazines = new Magazines(1);
    private final Slab slab = slab();

    private static Slab slab() {
        MemorySegment memory = Arena.ofAuto().allocate((long) CHUNKS * CHUNK_BYTES);
        SlabMemory slabMemory = new SlabMemory(memory, List.of(), Access.LOCAL_ONLY, null, () -> false, () -> {});
        SlabBudget budget = new SlabBudget(SizeClasses.single(CHUNK_BYTES), memory.byteSize(), 0, null, _ -> {});
        return new Slab(budget, slabMemory, new SlabOrder(0, CHUNK_BYTES, memory.byteSize()), 0, _ -> {});
    }

    private List<Chunk> chunks() {
        List<Chunk> all = new ArrayList<>();
        for (Chunk chunk = slab.take(); chunk != null; chunk = slab.take()) {
            all.add(chunk);
        }
        return all;
    }

    @Test
    void eachChunkHasANumberOfItsOwnWhichIsFreeAgainOnceItIsGone() {
        slab.admitTo(magazines);
        List<Chunk> all = chunks();
        assertThat(all).hasSize(CHUNKS);
        assertThat(all.stream().map(Chunk::number)).doesNotHaveDuplicates().doesNotContain(ChunkNumbers.NONE);

        slab.dismissFrom(magazines);
        Slab next = slab();
        next.admitTo(magazines);

        Chunk chunk = next.take();
        assertThat(chunk).isNotNull();
        assertThat(chunk.number()).as("numbers are used again").isLessThanOrEqualTo(CHUNKS);
    }

    @Test
    void numberOfAGoneChunkIsNeverTakenForAnotherOne() {
        ChunkNumbers numbers = new ChunkNumbers();
        Chunk chunk = chunks().getFirst();
        int number = numbers.add(chunk);
        assertThat(numbers.get(number)).isSameAs(chunk);
        numbers.remove(number);

        assertThatThrownBy(() -> numbers.get(number)).isInstanceOf(AssertionError.class);
        assertThat(numbers).hasToString("0 numbered chunks");
    }

    /** Each chunk is in one place at a time. */
    @Test
    void chunksChangeHandsBetweenThreads() throws Exception {
        slab.admitTo(magazines);
        List<Chunk> all = chunks().subList(0, 4);
        all.forEach(chunk -> assertThat(magazines.put(chunk)).isTrue());
        CountDownLatch start = new CountDownLatch(1);
        Set<Chunk> held = Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));
        List<Integer> twice = Collections.synchronizedList(new ArrayList<>());
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            threads.add(Thread.ofPlatform().start(() -> exchange(start, held, twice)));
        }
        start.countDown();
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(twice).isEmpty();
        assertThat(magazines.count(0)).isEqualTo(4);
        Set<Chunk> left = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Chunk chunk = magazines.steal(0); chunk != null; chunk = magazines.steal(0)) {
            left.add(chunk);
        }
        assertThat(left).containsExactlyInAnyOrderElementsOf(all);
    }

    private void exchange(CountDownLatch start, Set<Chunk> held, List<Integer> twice) {
        try {
            start.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        }
        for (int i = 0; i < 20_000; i++) {
            Chunk chunk = magazines.steal(0);
            if (chunk != null) {
                if (!held.add(chunk)) {
                    twice.add(chunk.number());
                }
                held.remove(chunk);
                while (!magazines.put(chunk)) {
                    Thread.onSpinWait();
                }
            }
        }
    }
}

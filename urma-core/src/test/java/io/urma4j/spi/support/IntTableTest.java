package io.urma4j.spi.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class IntTableTest {
    @Test
    void behavesAsAMap() {
        long seed = Long.getLong("urma.seed", System.nanoTime());
        System.out.println("IntTableTest seed " + seed);
        Random random = new Random(seed);
        IntTable<String> table = new IntTable<>();
        Map<Integer, String> model = new HashMap<>();
        for (int i = 0; i < 3_000; i++) {
            int key = random.nextInt(300) * (random.nextBoolean() ? 1 : 65_536);
            if (random.nextInt(3) == 0) {
                table.remove(key);
                model.remove(key);
            } else {
                table.put(key, "v" + i);
                model.put(key, "v" + i);
            }
            int probe = random.nextInt(300);
            assertThat(table.get(probe)).as("seed %d", seed).isEqualTo(model.get(probe));
        }
        model.forEach((key, value) -> assertThat(table.get(key)).isEqualTo(value));
    }

    @Test
    void readersFindTheObjectOfTheirKeyOrNone() throws InterruptedException {
        int keys = 64;
        int absent = keys + 1;
        var current = new AtomicReference<>(new IntTable<Integer>());
        var isOver = new AtomicBoolean();
        var wrong = new AtomicReference<String>();
        Thread reader = Thread.ofPlatform().start(() -> {
            for (int key = 0; !isOver.get(); key = (key + 1) % keys) {
                Integer found = current.get().get(key);
                if (found != null && found != key) {
                    wrong.set("key " + key + " found " + found);
                }
                if (current.get().get(absent) != null) {
                    wrong.set("an absent key found an object");
                }
            }
        });
        for (int round = 0; round < 20_000; round++) {
            IntTable<Integer> table = new IntTable<>(); // free slots are filled, as those of the absent key
            current.set(table);
            for (int key = 0; key < keys; key++) {
                table.put(key, key);
            }
            for (int key = 0; key < keys; key += 2) {
                table.remove(key);
                table.put(key, key);
            }
        }
        isOver.set(true);
        reader.join();
        assertThat(wrong.get()).isNull();
    }
}

package io.urma4j.udma.device;

import io.urma4j.udma.transport.Memory;
import java.util.function.IntConsumer;

/** Memory that answers later, before the keys of a card: for homes whose segments lie behind a copy engine. */
@FunctionalInterface
public interface LateMemory {
    /** All memory answers at once. */
    LateMemory NONE = (keys, wake) -> keys;

    /**
     * The memory that peers reach.
     *
     * @param keys the memory behind the keys of the card, which answers at once
     * @param wake takes the number of a connection, of which a copy has ended or may be tried once more; on the thread of the
     *     card alone
     */
    Memory over(Memory keys, IntConsumer wake);
}

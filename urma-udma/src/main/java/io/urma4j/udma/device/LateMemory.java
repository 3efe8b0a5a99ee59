package io.urma4j.udma.device;

import io.urma4j.udma.transport.Memory;
import java.util.function.IntFunction;

/** Memory that answers later, before the keys of a card: for homes whose segments lie behind a copy engine. */
@FunctionalInterface
public interface LateMemory {
    /** All memory answers at once. */
    LateMemory NONE = (keys, connections) -> keys;

    /** Device memory behind a copy port, and memory of the host, which answers at once. */
    static LateMemory of(CopyPort copies) {
        return new LateMemory() {
            @Override
            public Memory over(DeviceKeys keys, IntFunction<CopyWaiter> connections) {
                return new StagedKeys(keys, copies, connections);
            }

            @Override
            public CopyPort copies() {
                return copies;
            }
        };
    }

    /**
     * The memory that peers reach.
     *
     * @param keys the memory behind the keys of the card
     * @param connections the connection of a number, to be woken when a copy has ended or may be tried once more; on the thread
     *     of the card alone
     */
    Memory over(DeviceKeys keys, IntFunction<CopyWaiter> connections);

    /** Copies of device memory for the card's own work requests. */
    default CopyPort copies() {
        return CopyPort.NONE;
    }
}

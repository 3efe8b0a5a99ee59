package io.urma4j.udma.driver;

import io.urma4j.spi.support.HostMemory;
import io.urma4j.spi.support.Quarantine;

/** The use of allocated memory by one registration, from before its keys exist until after they are gone. */
final class MemoryUse {
    private final HostMemory memory;
    private final String registration;

    private MemoryUse(HostMemory memory, String registration) {
        this.memory = memory;
        this.registration = registration;
    }

    /**
     * Begins it.
     *
     * @param registration names it in messages
     * @throws io.urma4j.UrmaException as {@link HostMemory#addUser}
     */
    static MemoryUse begin(HostMemory memory, String registration, boolean isolated) {
        MemoryUse use = new MemoryUse(memory, registration);
        memory.addUser(use, isolated);
        return use;
    }

    Quarantine quarantine() {
        return memory.quarantine();
    }

    void end() {
        memory.removeUser(this);
    }

    @Override
    public String toString() {
        return registration;
    }
}

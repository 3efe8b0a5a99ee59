package io.urma4j.spi.support;

import io.urma4j.UrmaException;
import io.urma4j.spi.ProviderMemory;

/**
 * Memory of this process that devices whose bytes are moved by CPUs can register, whichever provider allocated it (S7.15). Its
 * registrations share one quarantine, and isolation excludes those of all devices. Safe for any thread.
 */
public interface HostMemory extends ProviderMemory {
    /**
     * Adds a registration.
     *
     * @param user names it in messages; equal only to itself
     * @param isolated whether it must be the only one (S7.7)
     * @throws UrmaException EINVAL if there is another one and one of them is isolated; EAGAIN while importers of an earlier
     *     registration have not released the memory
     */
    void addUser(Object user, boolean isolated);

    /** A registration has ended. */
    void removeUser(Object user);

    /** The importers of earlier registrations that may still touch it. */
    Quarantine quarantine();

    /** How copy engines reach it. */
    HostPinning pinning();
}

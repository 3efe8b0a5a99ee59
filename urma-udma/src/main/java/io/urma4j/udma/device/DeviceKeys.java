package io.urma4j.udma.device;

import io.urma4j.udma.transport.Memory;

/**
 * The memory behind the keys of a card. Memory of the host answers at once. Of device memory the keys know only permissions and
 * places: a {@link CopyPort} moves its bytes.
 */
public interface DeviceKeys extends Memory {
    /** In place of a region: the key opens memory of the host, or nothing. */
    int NO_REGION = 0;

    /** The number of the registration that the key opens; {@link #NO_REGION} for memory of the host. */
    int region(int key);

    /** The place of a VA in the registration, of a key that was checked. */
    long regionOffset(int key, long va);
}

package io.urma4j.udma.device;

import io.urma4j.udma.transport.Memory;
import java.util.function.IntConsumer;

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

    /**
     * Revokes what a SEND_INVALIDATE of that key ends, if the peer of the connection has the permission; false if not.
     *
     * @param revoked gets the registration of each revoked key of device memory
     */
    boolean invalidate(int key, int connection, IntConsumer revoked);

    /** In memory of the host no byte moves by a revoked key. */
    @Override
    default long invalidate(int key, int connection) {
        return invalidate(key, connection, _ -> {}) ? AT_ONCE : REFUSED;
    }
}

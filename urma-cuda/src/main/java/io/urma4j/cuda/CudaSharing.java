package io.urma4j.cuda;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.PeerSharing;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shares memory of GPUs by the driver's handles ({@code cuIpcGetMemHandle}). The driver gives each allocation of this library blocks of
 * its own, so a handle opens no memory of others. Safe for any thread.
 */
final class CudaSharing implements PeerSharing {
    /** Of all clients of this process, since the driver opens no handle in the process that made it. */
    private static final Map<UUID, Own> OWN = new ConcurrentHashMap<>();

    private final CudaClient client;

    /** A shared allocation of this process. */
    record Own(DeviceRange range, long bufferId) {}

    CudaSharing(CudaClient client) {
        this.client = client;
    }

    @Override
    public Shared share(int ordinal, long address) {
        CudaHandle handle = client.device(ordinal).memory().share(address, client.uuid(ordinal), OWN);
        byte[] bytes = handle.toBytes();
        return new Shared() {
            @Override
            public byte[] handle() {
                return bytes.clone();
            }

            @Override
            public void close() {
                OWN.remove(handle.share());
            }
        };
    }

    @Override
    public Opened open(byte[] handle, long lengthBytes) {
        CudaHandle parsed = CudaHandle.parse(handle);
        if (lengthBytes > parsed.lengthBytes()) {
            throw new UrmaException(
                    UrmaStatus.EINVAL, client, "a handle names " + parsed + ", fewer than " + lengthBytes);
        }
        CudaDevice device = client.device(client.ordinal(parsed.deviceUuid()));
        CudaRegistration opened = open(device, parsed, lengthBytes);
        return new Opened(opened.range(), opened);
    }

    private static CudaRegistration open(CudaDevice device, CudaHandle handle, long lengthBytes) {
        try {
            return device.memory().open(handle, lengthBytes);
        } catch (CudaException e) {
            Own own = OWN.get(handle.share());
            if (own == null || e.code() != CudaCode.INVALID_CONTEXT) {
                throw e;
            }
            DeviceRange range = new DeviceRange(device.ordinal(), own.range.address(), lengthBytes);
            return new CudaRegistration(device, range, own.bufferId); // by its address: it is the same process
        }
    }
}

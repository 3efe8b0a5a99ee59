package io.urma4j.npu;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.peer.DeviceIdentity;
import io.urma4j.peer.DeviceRange;
import io.urma4j.peer.DmaDevice;
import io.urma4j.peer.DmaMapping;
import io.urma4j.peer.Invalidator;
import io.urma4j.peer.PeerAcquisition;
import io.urma4j.peer.PeerSharing;
import io.urma4j.peer.PinnedPages;
import io.urma4j.peer.Ticket;
import java.util.List;

/** Shares memory of simulated NPUs, and opens that of other processes and libraries. Safe for any thread. */
final class NpuSharing implements PeerSharing {
    private final SimulatedNpus npus;
    private final List<NpuDevice> devices;

    NpuSharing(SimulatedNpus npus, List<NpuDevice> devices) {
        this.npus = npus;
        this.devices = devices;
    }

    @Override
    public Shared share(int ordinal, long address) {
        npus.note("share", 0);
        NpuDevice device = device(ordinal);
        NpuAllocation allocation = device.share(address);
        byte[] handle = device.handle(allocation).toBytes();
        return new Shared() {
            @Override
            public byte[] handle() {
                return handle.clone();
            }

            @Override
            public void close() {
                npus.note("unshare", 0);
                device.unshare(allocation);
            }
        };
    }

    @Override
    public Opened open(byte[] handle, long lengthBytes) {
        npus.note("open", 0);
        NpuHandle parsed = NpuHandle.parse(handle);
        if (lengthBytes > parsed.lengthBytes()) {
            throw NpuStore.refused(parsed, "it has " + parsed.lengthBytes() + " bytes, not " + lengthBytes);
        }
        NpuDevice device = device(parsed.ordinal());
        NpuAllocation opened = device.open(parsed);
        DeviceRange range = new DeviceRange(parsed.ordinal(), opened.address, lengthBytes);
        return new Opened(range, new OpenedRegistration(npus.register(device, opened, range), device, opened));
    }

    private NpuDevice device(int ordinal) {
        if (ordinal < 0 || ordinal >= devices.size()) {
            throw new UrmaException(
                    UrmaStatus.EINVAL,
                    SimulatedNpus.NAME,
                    "memory of device " + ordinal + " cannot be opened: there are " + devices.size());
        }
        return devices.get(ordinal);
    }

    /** A registration whose end closes what was opened. */
    private record OpenedRegistration(PeerAcquisition registration, NpuDevice device, NpuAllocation opened)
            implements PeerAcquisition {
        @Override
        public DeviceIdentity identity() {
            return registration.identity();
        }

        @Override
        public PinnedPages getPages(boolean writable, Ticket ticket, Invalidator invalidator) {
            return registration.getPages(writable, ticket, invalidator);
        }

        @Override
        public DmaMapping dmaMap(PinnedPages pages, DmaDevice nic) {
            return registration.dmaMap(pages, nic);
        }

        @Override
        public void dmaUnmap(DmaMapping mapping) {
            registration.dmaUnmap(mapping);
        }

        @Override
        public void putPages(PinnedPages pages) {
            registration.putPages(pages);
        }

        @Override
        public void release() {
            try {
                registration.release();
            } finally {
                device.closeOpened(opened);
            }
        }
    }
}

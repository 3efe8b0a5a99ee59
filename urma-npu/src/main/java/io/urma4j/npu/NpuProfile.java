package io.urma4j.npu;

import io.urma4j.peer.ClientStyle;
import java.util.Locale;

/** The habits of a vendor's peer memory client, as its sources show them. */
public enum NpuProfile {
    /** No habit: pages as configured, and a client that lets the registry unmap and put. */
    PLAIN(ClientStyle.LEGACY, 64 << 10),
    /** {@code nvidia-peermem} with a free callback: pages of 64 KiB, and PCI devices alone. */
    NVIDIA(ClientStyle.LEGACY, 64 << 10),
    /** {@code nvidia-peermem} as it loads by default: like {@link #NVIDIA}, and never calls back. */
    NVIDIA_PERSISTENT(ClientStyle.PERSISTENT, 64 << 10),
    /** AMD KFD: takes physical addresses for bus addresses, so a translating IOMMU faults. */
    AMD(ClientStyle.LEGACY, 4 << 10),
    /** Ascend CANN: unmaps within its free callback, where {@code putPages} of the registry would deadlock. */
    ASCEND(ClientStyle.UNMAPS, 2 << 20),
    /** A dynamic dma-buf importer: pages move, and the registry pins them anew. */
    DMABUF(ClientStyle.DYNAMIC, 4 << 10),
    /** A pinned dma-buf: never calls back. */
    DMABUF_PINNED(ClientStyle.PERSISTENT, 4 << 10),
    /** MemFabric's client: keeps page tables of an earlier registration, and loses callbacks that come between pin and map. */
    FAULTY(ClientStyle.LEGACY, 4 << 10);

    private final ClientStyle style;
    private final int pageBytes;

    NpuProfile(ClientStyle style, int pageBytes) {
        this.style = style;
        this.pageBytes = pageBytes;
    }

    public ClientStyle style() {
        return style;
    }

    /** Its usual page. */
    public int pageBytes() {
        return pageBytes;
    }

    boolean isNvidia() {
        return this == NVIDIA || this == NVIDIA_PERSISTENT;
    }

    /** Its name in settings, such as {@code nvidia-persistent}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}

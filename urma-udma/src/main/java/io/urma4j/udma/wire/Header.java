package io.urma4j.udma.wire;

/** The extended headers, in the order in which they follow the BTH (WIRE §1.2); those of ours come last. */
public enum Header {
    RDETH(0, Rdeth.BYTES),
    DETH(1, Deth.BYTES),
    XRCETH(2, Xrceth.BYTES),
    FETH(3, Feth.BYTES),
    RETH(4, Reth.BYTES),
    ATOMIC_ETH(5, AtomicEth.BYTES),
    AETH(6, Aeth.BYTES),
    ATOMIC_ACK_ETH(7, AtomicAckEth.BYTES),
    IMM_DT(8, ImmDt.BYTES),
    IETH(9, Ieth.BYTES),
    // ours: docs/wire-extensions.md
    ATOMIC_KIND(10, AtomicKind.BYTES),
    NOTIFY_ETH(11, NotifyEth.BYTES),
    IMM_64(12, Imm64.BYTES),
    ACK_ETH(13, AckEth.BYTES),
    FRAGMENT_ETH(14, FragmentEth.BYTES);

    static final int COUNT = values().length;

    private final int index;
    private final int lengthBytes;

    Header(int index, int lengthBytes) {
        this.index = index;
        this.lengthBytes = lengthBytes;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    /** For tables: 0 and up. */
    int index() {
        return index;
    }

    int bit() {
        return 1 << index;
    }
}

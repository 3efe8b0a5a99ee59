package io.urma4j.udma.wire;

/** The extended headers, in the order in which they follow the BTH (WIRE §1.2); those of ours come last. */
@SuppressWarnings("EnumOrdinal") // the enumeration numbers the slots of tables
public enum Header {
    RDETH(Rdeth.BYTES),
    DETH(Deth.BYTES),
    XRCETH(Xrceth.BYTES),
    FETH(Feth.BYTES),
    RETH(Reth.BYTES),
    ATOMIC_ETH(AtomicEth.BYTES),
    AETH(Aeth.BYTES),
    ATOMIC_ACK_ETH(AtomicAckEth.BYTES),
    IMM_DT(ImmDt.BYTES),
    IETH(Ieth.BYTES),
    // ours: docs/wire-extensions.md
    ATOMIC_KIND(AtomicKind.BYTES),
    NOTIFY_ETH(NotifyEth.BYTES),
    IMM_64(Imm64.BYTES),
    ACK_ETH(AckEth.BYTES),
    FRAGMENT_ETH(FragmentEth.BYTES);

    static final int COUNT = values().length;

    private final int lengthBytes;

    Header(int lengthBytes) {
        this.lengthBytes = lengthBytes;
    }

    public int lengthBytes() {
        return lengthBytes;
    }

    /** For tables: 0 and up. */
    int index() {
        return ordinal();
    }

    int bit() {
        return 1 << ordinal();
    }
}

package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.spi.BlockTransfer;
import org.jspecify.annotations.Nullable;

/**
 * How the home of a {@link PreparedTransfer} learns that its last block has moved. The value is an argument of each post, so a
 * notice is made once. Immutable, and safe for any thread.
 */
public final class TransferNotice {
    /** The home learns nothing. */
    public static final TransferNotice NONE = new TransferNotice(false, null, null, 0);

    private final boolean isMessage;
    private final @Nullable TargetJetty receiver;
    private final @Nullable RemoteSegment segment;
    private final long offset;

    private TransferNotice(
            boolean isMessage, @Nullable TargetJetty receiver, @Nullable RemoteSegment segment, long offset) {
        this.isMessage = isMessage;
        this.receiver = receiver;
        this.segment = segment;
        this.offset = offset;
    }

    /**
     * A message without payload, whose immediate is the value: SEND_IMM behind READs, WRITE_IMM behind WRITEs. It consumes a
     * receive work request.
     *
     * @param receiver of the home of the transfer's segments; ignored, and may be null, in mode RC (S8.8)
     */
    public static TransferNotice message(@Nullable TargetJetty receiver) {
        return new TransferNotice(true, receiver, null, 0);
    }

    /**
     * The value is stored as a word of 8 bytes. A reader that loads it with acquire sees the blocks of a WRITE; after a READ, the
     * home may overwrite the blocks.
     *
     * @param segment of the home of the transfer's segments, in host memory
     * @param offset a multiple of 8
     * @throws UrmaException EINVAL for device memory, and for a word that is not aligned or not inside
     */
    public static TransferNotice word(RemoteSegment segment, long offset) {
        if (segment.descriptor().capabilities().memory() == SegmentDescriptor.MemoryKind.DEVICE) {
            throw Checks.invalid(segment, "lies in device memory; the word of a notice lies in host memory");
        }
        if ((offset & 7) != 0) {
            throw Checks.invalid(segment, "notify offset " + offset + " is not a multiple of 8");
        }
        Checks.range(segment, offset, Long.BYTES, segment.lengthBytes());
        return new TransferNotice(false, null, segment, offset);
    }

    /** Checks it for a post to {@code jfs}, and names it in the transfer; the blocks are of the home of {@code blocks}. */
    void put(BlockTransfer transfer, Jfs jfs, RemoteSegment blocks, long value) {
        transfer.isMessageLast = isMessage;
        transfer.value = value;
        transfer.target = null;
        transfer.notify = null;
        if (isMessage) {
            jfs.checks().immediate(transfer.isRead() ? Opcode.SEND_IMM : Opcode.WRITE_IMM, value);
            transfer.target = jfs.checkedTarget(receiver);
            if (transfer.target != null && receiver != null) {
                checkHome(receiver, receiver.id().eid(), receiver.id().uasid(), blocks);
            }
        } else if (segment != null) {
            checkHome(segment, segment.descriptor().eid(), segment.descriptor().uasid(), blocks);
            transfer.notify = segment.checkedForWrite(jfs.context(), offset, Long.BYTES);
            transfer.notifyOffset = offset;
        }
    }

    /** What is at another home keeps no order with the blocks. */
    private static void checkHome(Object named, Eid eid, int uasid, RemoteSegment blocks) {
        SegmentDescriptor home = blocks.descriptor();
        if (uasid != home.uasid() || !eid.equals(home.eid())) {
            throw Checks.invalid(named, "is not of the home of " + blocks + ", as a notice of its blocks must be");
        }
    }

    @Override
    public String toString() {
        if (isMessage) {
            return "message to " + (receiver == null ? "the bound peer" : receiver);
        }
        return segment == null ? "no notice" : "word at offset " + offset + " of " + segment;
    }
}

package io.urma4j.spi;

import io.urma4j.Opcode;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of one length that a single work request reads or writes. A remote block has a number across all imports, a local one
 * its number in the segment. The object is made once and posted again and again.
 *
 * <p>The thread that posts fills it, between {@link #begin} and the post. An accepted transfer belongs to the provider, which
 * calls {@link #end} once, after its last access and before the record.
 */
public final class BlockTransfer {
    private static final int[] NONE = {};

    public final ProviderSegment local;
    public final long blockBytes;

    /** {@code Opcode.value()} of READ or WRITE. */
    public int opcode;

    public long userContext;

    /** Whether a message follows the last block: SEND_IMM behind READs, WRITE_IMM behind WRITEs. */
    public boolean isMessageLast;

    /** The target of that message; null for the bound peer. */
    public @Nullable ProviderTarget target;

    /** Where {@link #value} is stored behind the last block; null for nowhere. Memory of the host. */
    public @Nullable ProviderImport notify;

    public long notifyOffset;

    /** The immediate of the message, or the word that is stored. */
    public long value;

    /** The import of the block that moves: the provider's own. */
    public int region;

    private final ProviderImport[] remotes;
    private final int[] firstBlocks; // of each import, and behind the last
    private final AtomicBoolean inProgress = new AtomicBoolean();
    private int[] localBlocks = NONE;
    private int[] remoteBlocks = NONE;
    private int blocks;

    /**
     * A transfer that was not posted yet.
     *
     * @param remotes at least one
     * @param firstBlocks number of the first block of each of them, and of the one behind the last
     */
    public BlockTransfer(ProviderImport[] remotes, int[] firstBlocks, ProviderSegment local, long blockBytes) {
        this.remotes = remotes.clone();
        this.firstBlocks = firstBlocks.clone();
        this.local = local;
        this.blockBytes = blockBytes;
    }

    // ---- the post

    /** Claims it for a post; false while an earlier one is in progress. */
    public boolean begin() {
        return inProgress.compareAndSet(false, true);
    }

    /** Its blocks have moved, or will not move any more: it may be posted again. */
    public void end() {
        target = null;
        notify = null;
        inProgress.set(false);
    }

    public boolean isInProgress() {
        return inProgress.get();
    }

    /** Makes room for that many blocks, which {@link #put} names. Allocates only for more than ever before. */
    public void resize(int size) {
        if (localBlocks.length < size) {
            localBlocks = new int[size];
            remoteBlocks = new int[size];
        }
        blocks = size;
    }

    /** Names the blocks of a place; the caller has checked their numbers. */
    public void put(int index, int localBlock, int remoteBlock) {
        localBlocks[index] = localBlock;
        remoteBlocks[index] = remoteBlock;
    }

    // ---- what is to be done

    public boolean isRead() {
        return opcode == READ;
    }

    /** Number of its blocks. */
    public int blocks() {
        return blocks;
    }

    public long lengthBytes() {
        return blocks * blockBytes;
    }

    public int localBlock(int index) {
        return localBlocks[index];
    }

    public int remoteBlock(int index) {
        return remoteBlocks[index];
    }

    /**
     * How many blocks from {@code index} on lie side by side at both ends, and before the remote block {@code end}: they may
     * move as one.
     */
    public int run(int index, int end) {
        int localBlock = localBlocks[index];
        int remoteBlock = remoteBlocks[index];
        int most = Math.min(blocks - index, end - remoteBlock);
        int run = 1;
        while (run < most
                && localBlocks[index + run] == localBlock + run
                && remoteBlocks[index + run] == remoteBlock + run) {
            run++;
        }
        return run;
    }

    // ---- the imports

    /** Number of imports. */
    public int regions() {
        return remotes.length;
    }

    public ProviderImport remote(int region) {
        return remotes[region];
    }

    /** The first block of an import; of the number behind the last import, the first block that does not exist. */
    public int firstBlock(int region) {
        return firstBlocks[region];
    }

    /** In which import a remote block lies. */
    public int regionOf(int remoteBlock) {
        if (remotes.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(firstBlocks, remoteBlock);
        return found >= 0 ? found : -found - 2;
    }

    private static final int READ = 0x10; // Opcode.value() as a constant

    static {
        assert READ == Opcode.READ.value();
    }

    @Override
    public String toString() {
        return "transfer of " + blocks + " blocks of " + blockBytes + " bytes"
                + (isInProgress() ? ", in progress" : "");
    }
}

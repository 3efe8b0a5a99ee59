package io.urma4j.udma.driver;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.libc.NativeMemory;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.udma.command.KeyConfig;
import io.urma4j.udma.engine.EventLoop;
import io.urma4j.udma.ring.SendWqe;
import io.urma4j.udma.ring.WorkOpcode;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The memory in which a send queue tells the card the blocks of its transfers: an element, of the layout of {@link SendWqe}, for
 * each run of neighbouring blocks, of at most 1 MiB or one block. It is registered as local memory of the card, and used again; so
 * a post allocates only for more blocks, or more transfers in progress, than ever before. Safe for any thread.
 */
final class BlockLists {
    /** Blocks that lie side by side at both ends share an element up to this length. */
    private static final long RUN_BYTES = 1 << 20;

    private static final int MIN_ELEMENTS = 64;

    private final EventLoop eventLoop;
    private final Deque<BlockList> free = new ArrayDeque<>(); // guarded by itself, with all below
    private boolean closed;

    /** Room for the elements of one transfer. */
    record BlockList(NativeMemory memory, int key) {
        private boolean holds(int elements) {
            return memory.lengthBytes() >= (long) elements * SendWqe.BLOCK_BYTES;
        }
    }

    BlockLists(EventLoop eventLoop) {
        this.eventLoop = eventLoop;
    }

    /** Room for a transfer; the caller gives it back. */
    BlockList take(BlockTransfer transfer) {
        int elements = transfer.blocks() + 1;
        BlockList last;
        synchronized (free) {
            last = free.pollLast();
        }
        if (last != null && last.holds(elements)) {
            return last;
        }
        if (last != null) {
            revoke(last);
        }
        int capacity = Rings.ceilingPowerOfTwo(Math.max(MIN_ELEMENTS, elements));
        NativeMemory memory = Rings.allocate(transfer, (long) capacity * SendWqe.BLOCK_BYTES);
        int key = eventLoop.call(card -> card.registerKey(KeyConfig.local(memory.segment())));
        if (key == 0) {
            throw new UrmaException(UrmaStatus.ENOMEM, transfer, "all keys of the device are in use");
        }
        return new BlockList(memory, key);
    }

    /** The transfer is over. */
    void give(BlockList list) {
        synchronized (free) {
            if (!closed) {
                free.addLast(list);
                return;
            }
        }
        revoke(list);
    }

    private void revoke(BlockList list) {
        eventLoop.run(card -> card.revokeKey(list.key()));
    }

    /** The queue is closed; what is still in use is revoked when it comes back. */
    void close() {
        synchronized (free) {
            closed = true;
        }
        for (BlockList list = free.pollLast(); list != null; list = free.pollLast()) {
            revoke(list);
        }
    }

    /** Writes the elements of a transfer, and returns their number. */
    static int fill(BlockList list, BlockTransfer transfer) {
        NativeMemory memory = list.memory();
        UdmaSegment local = (UdmaSegment) transfer.local;
        int opcode = transfer.opcode;
        long blockBytes = transfer.blockBytes;
        int longestRun = (int) Math.max(1, RUN_BYTES / blockBytes);
        int elements = 0;
        for (int i = 0; i < transfer.blocks(); elements++) {
            int block = transfer.remoteBlock(i);
            int region = transfer.regionOf(block);
            UdmaImport remote = (UdmaImport) transfer.remote(region);
            int end = (int) Math.min(transfer.firstBlock(region + 1), (long) block + longestRun);
            int run = transfer.run(i, end);
            int lengthBytes = (int) (run * blockBytes);
            long at = (long) elements * SendWqe.BLOCK_BYTES;
            SendWqe.put(memory, at, opcode, 0, local.asOneRange(), 0, lengthBytes);
            long remoteOffset = (block - transfer.firstBlock(region)) * blockBytes;
            SendWqe.remote(memory, at, remote.key(), remote.vaBase() + remoteOffset);
            SendWqe.range(memory, at, 0, local.localKey(), lengthBytes, transfer.localBlock(i) * blockBytes);
            i += run;
        }
        UdmaImport notify = (UdmaImport) transfer.notify;
        if (notify != null) {
            long at = (long) elements * SendWqe.BLOCK_BYTES;
            SendWqe.put(memory, at, WorkOpcode.WRITE, SendWqe.INLINE, 0, 0, Long.BYTES);
            SendWqe.remote(memory, at, notify.key(), notify.vaBase() + transfer.notifyOffset);
            memory.setLong(SendWqe.inlineAt(at), transfer.value);
            elements++;
        }
        return elements;
    }
}

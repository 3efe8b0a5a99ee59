package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.spi.BlockTransfer;
import io.urma4j.spi.ProviderImport;
import java.util.List;

/**
 * Many blocks of one length, which a post names by their numbers and moves as one work request with one record (S16): the pages of
 * a KV cache, the rows of a table. Segments, access and ranges are checked once; a post checks the numbers, and asks each remote
 * segment once whether it is still valid. The memory may lie on a host or on a device.
 *
 * <p>Remote block {@code i} is the {@code i}-th of all whole blocks of the remote segments, one segment after the other. Local
 * block {@code i} begins at byte {@code i * blockLength} of the local segment.
 *
 * <pre>{@code
 * PreparedTransfer pages = PreparedTransfer.of(jfs, layers, cache, 16384, 4096);
 * pages.post(Opcode.READ, free, wanted, userContext, TransferNotice.word(flags, 64), sequence);
 * }</pre>
 *
 * <p>One post is in progress at a time. Its blocks have no order among themselves; a notice follows the last block. The record
 * has the opcode, the user context and the length of all blocks, or the status of the first failure: then some blocks may have
 * moved, no further block starts, and the notice is not given.
 *
 * <p>Posts follow the rules of the queue: an earlier request to the home is executed before, a later one after it. Safe for any
 * number of threads; a post while another is in progress is refused.
 */
public final class PreparedTransfer implements AutoCloseable {
    /** Maximum blocks of one post. */
    public static final int MAX_BLOCKS = 1 << 20;

    private final Jfs jfs;
    private final RemoteSegment[] remotes;
    private final LocalSegment local;
    private final int remoteBlocks;
    private final int localBlocks;
    private final BlockTransfer transfer;
    private volatile boolean closed;

    private PreparedTransfer(
            Jfs jfs,
            List<RemoteSegment> remotes,
            LocalSegment local,
            int remoteBlocks,
            int localBlocks,
            BlockTransfer transfer) {
        this.jfs = jfs;
        this.remotes = remotes.toArray(new RemoteSegment[0]);
        this.local = local;
        this.remoteBlocks = remoteBlocks;
        this.localBlocks = localBlocks;
        this.transfer = transfer;
    }

    /**
     * Prepares transfers between blocks. It holds none of its arguments open: a post is refused once one of them is closed.
     *
     * @param remotes of one home, with at least {@code count} whole blocks together
     * @param blockLength of each block, in bytes
     * @param count how many remote blocks can be named, 1…2³¹−1
     * @throws UrmaException EINVAL if an argument is closed or of another context, if the queue has mode UM, if a segment holds no
     *     whole block, or the remote ones too few, or not of one home; ENOPERM if one may not even be read
     */
    public static PreparedTransfer of(
            Jfs jfs, List<RemoteSegment> remotes, LocalSegment local, long blockLength, int count) {
        jfs.life().checkOpen();
        Checks.inRange(jfs, "blockLength", blockLength, 1, Long.MAX_VALUE);
        jfs.checks().length(blockLength);
        Checks.inRange(jfs, "count", count, 1, Integer.MAX_VALUE);
        Checks.inRange(jfs, "number of remote segments", remotes.size(), 1, Integer.MAX_VALUE);
        int[] firstBlocks = firstBlocks(jfs, List.copyOf(remotes), blockLength, count);
        int localBlocks = wholeBlocks(local, local.lengthBytes(), blockLength);
        var provider = local.checked(jfs.context(), 0, localBlocks * blockLength);
        ProviderImport[] imports = remotes.stream().map(RemoteSegment::provider).toArray(ProviderImport[]::new);
        BlockTransfer transfer = new BlockTransfer(imports, firstBlocks, provider, blockLength);
        return new PreparedTransfer(jfs, remotes, local, count, localBlocks, transfer);
    }

    private static int[] firstBlocks(Jfs jfs, List<RemoteSegment> remotes, long blockLength, int count) {
        int[] first = new int[remotes.size() + 1];
        for (int i = 0; i < remotes.size(); i++) {
            RemoteSegment remote = remotes.get(i);
            remote.checkedForRead(jfs.context(), 0, 0);
            checkHome(remote, remotes.getFirst());
            long end = (long) first[i] + wholeBlocks(remote, remote.lengthBytes(), blockLength);
            first[i + 1] = (int) Math.min(end, Integer.MAX_VALUE);
        }
        if (first[remotes.size()] < count) {
            throw Checks.invalid(
                    jfs,
                    "count is " + count + ", more than the " + first[remotes.size()] + " whole blocks of "
                            + remotes.size() + " remote segments");
        }
        return first;
    }

    /** At least one. */
    private static int wholeBlocks(Object segment, long lengthBytes, long blockLength) {
        if (lengthBytes < blockLength) {
            throw Checks.invalid(segment, "holds no block of " + blockLength + " bytes");
        }
        return (int) Math.min(lengthBytes / blockLength, Integer.MAX_VALUE);
    }

    /** One home executes the transfer, in the order that the queue keeps with it. */
    private static void checkHome(RemoteSegment remote, RemoteSegment first) {
        SegmentDescriptor one = remote.descriptor();
        SegmentDescriptor other = first.descriptor();
        if (one.uasid() != other.uasid() || !one.eid().equals(other.eid())) {
            throw Checks.invalid(remote, "is of another home than " + first);
        }
    }

    /** The same without a notice. */
    public boolean post(Opcode opcode, int[] localIndexes, int[] remoteIndexes, long userContext) {
        return post(opcode, localIndexes, remoteIndexes, userContext, TransferNotice.NONE, 0);
    }

    /** Posts all blocks that the arrays name; see {@link #post(Opcode, int[], int, int[], int, int, long, TransferNotice, long)}. */
    public boolean post(
            Opcode opcode,
            int[] localIndexes,
            int[] remoteIndexes,
            long userContext,
            TransferNotice notice,
            long value) {
        if (localIndexes.length != remoteIndexes.length) {
            throw Checks.invalid(
                    this, localIndexes.length + " local and " + remoteIndexes.length + " remote indexes were given");
        }
        return post(opcode, localIndexes, 0, remoteIndexes, 0, localIndexes.length, userContext, notice, value);
    }

    /**
     * Moves blocks: block {@code localIndexes[localFrom + i]} from or to block {@code remoteIndexes[remoteFrom + i]}, for each
     * {@code i} below {@code blocks}. A block may be named more than once; where several are written to one place, each of its
     * bytes comes from one of them. The arrays are copied, so the caller may reuse them at once. Allocates only for more blocks
     * than any earlier post had.
     *
     * @param opcode READ or WRITE
     * @param blocks 1…{@link #MAX_BLOCKS}
     * @param value the immediate of the notice's message, or its word; ignored without a notice
     * @return true if accepted, false if the queue is full (S9.2)
     * @throws UrmaException EAGAIN while an earlier post is in progress; EINVAL for an index outside, another opcode, or a closed
     *     object; ENOPERM for a WRITE to a segment that was imported to be read. No byte has moved then
     */
    public boolean post(
            Opcode opcode,
            int[] localIndexes,
            int localFrom,
            int[] remoteIndexes,
            int remoteFrom,
            int blocks,
            long userContext,
            TransferNotice notice,
            long value) {
        if (opcode != Opcode.READ && opcode != Opcode.WRITE) {
            throw Checks.invalid(this, opcode + " is not an opcode of prepared transfers, which READ or WRITE");
        }
        Checks.inRange(this, "number of blocks", blocks, 1, MAX_BLOCKS);
        checkIndexes("localFrom", localFrom, blocks, localIndexes.length);
        checkIndexes("remoteFrom", remoteFrom, blocks, remoteIndexes.length);
        if (!transfer.begin()) {
            throw new UrmaException(
                    UrmaStatus.EAGAIN, this, "has a post in progress; the next one follows its completion");
        }
        boolean isAccepted = false;
        try {
            checkOpen(opcode);
            transfer.opcode = opcode.value();
            transfer.userContext = userContext;
            put(localIndexes, localFrom, remoteIndexes, remoteFrom, blocks);
            notice.put(transfer, jfs, remotes[0], value);
            isAccepted = jfs.provider().post(transfer);
        } finally {
            if (!isAccepted) {
                transfer.end();
            }
        }
        return isAccepted;
    }

    private void checkIndexes(String name, int from, int blocks, int length) {
        if (from < 0 || from > length - blocks) {
            throw Checks.invalid(
                    this, name + " " + from + " + " + blocks + " blocks lies outside the " + length + " indexes given");
        }
    }

    private void checkOpen(Opcode opcode) {
        if (closed) {
            throw Checks.closed(this);
        }
        jfs.life().checkOpen();
        if (opcode == Opcode.READ) {
            local.checkedAsDestination(jfs.context(), 0, 0);
        } else {
            local.checked(jfs.context(), 0, 0);
        }
        for (RemoteSegment remote : remotes) {
            if (opcode == Opcode.READ) {
                remote.checkReadable();
            } else {
                remote.checkWritable();
            }
        }
    }

    /** Checks each index before the first block moves; copies, since the caller's arrays may change meanwhile. */
    private void put(int[] localIndexes, int localFrom, int[] remoteIndexes, int remoteFrom, int blocks) {
        transfer.resize(blocks);
        for (int i = 0; i < blocks; i++) {
            int localIndex = localIndexes[localFrom + i];
            int remoteIndex = remoteIndexes[remoteFrom + i];
            if (localIndex < 0 || localIndex >= localBlocks) {
                throw noSuchBlock("local", localFrom + i, localIndex, localBlocks);
            }
            if (remoteIndex < 0 || remoteIndex >= remoteBlocks) {
                throw noSuchBlock("remote", remoteFrom + i, remoteIndex, remoteBlocks);
            }
            transfer.put(i, localIndex, remoteIndex);
        }
    }

    private UrmaException noSuchBlock(String side, int at, int index, int blocks) {
        return Checks.invalid(this, side + "Indexes[" + at + "] is " + index + ", must lie in 0…" + (blocks - 1));
    }

    /** Whether the blocks of a post may still move: until then the next one is refused. */
    public boolean isInProgress() {
        return transfer.isInProgress();
    }

    /** How many remote blocks can be named. */
    public int count() {
        return remoteBlocks;
    }

    /** In bytes. */
    public long blockLength() {
        return transfer.blockBytes;
    }

    /**
     * Ends it; queue and segments stay open. Idempotent.
     *
     * @throws UrmaException EAGAIN while a post is in progress
     */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (!transfer.begin()) {
            throw new UrmaException(UrmaStatus.EAGAIN, this, "cannot be closed, a post is in progress");
        }
        closed = true;
        transfer.end();
    }

    @Override
    public String toString() {
        return "prepared transfer of " + remoteBlocks + " blocks of " + transfer.blockBytes + " bytes over " + jfs
                + (closed ? ", closed" : "");
    }
}

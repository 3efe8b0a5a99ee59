/**
 * Registered buffers: their owners, and views of their bytes.
 *
 * <p>In reading order: {@link io.urma4j.buffer.RdmaBuf}, a handle that owns a buffer; {@link io.urma4j.buffer.BufView}, a
 * range of it; {@link io.urma4j.buffer.BufQueue}, operations on views; {@link io.urma4j.buffer.LeakDetector}, which finds
 * lost handles; {@link io.urma4j.buffer.RegisteredBufferPool}, which leases buffers of memory that stays registered. {@code
 * Block} is what a lease is made on: one atomic word has generation, handles and operations.
 *
 * <p>Inside a pool, {@code BlockAllocator} has the lock, the queue of {@code Waiter}s and the {@code Magazines} that need no
 * lock; {@code SlabBudget} has the {@code Slab}s of {@code Chunk}s under the limit, and turns a {@code Request} into a {@code
 * Grant}; {@code ContextSlabs} makes the memory. Only {@code ContextSlabs} needs a device.
 *
 * <p><b>Why a queue holds buffers, and not {@code Jfs}.</b> A buffer must outlive its operations, so each operation counts as
 * a holder. The count belongs to a lease and not to a registration: leases of one slab share the registration, whose own count
 * of unfinished work requests cannot tell them apart. A hold in {@code Jfs} would cost every post a branch and a slot. So
 * {@code Jfs} knows nothing of buffers, and posts without views cost what they did. {@code BufQueue} needs only that records
 * come in posting order. Its two steps, {@code Block.hold} and {@code Block.unhold}, are what a batch of transfers needs as
 * well: one hold for each view that it posts, ended by the record of the last request.
 *
 * <p>A lease of a pool can be exported to a {@link io.urma4j.buffer.Peer}, as a {@link io.urma4j.buffer.RemoteBuf} that {@link
 * io.urma4j.buffer.RemoteBufCodec} writes into a message. {@code Exporter} grants its windows, {@code LeaseExports} revokes them at
 * the end of the lease, and {@code ExportQuarantine} keeps the chunks that a peer still uses.
 *
 * <p>{@link io.urma4j.buffer.Transfers} move bytes between such remote buffers and views. {@link io.urma4j.buffer.BatchOp} has a {@code
 * BatchPart} for each home; {@code OpenHomes} opens the windows of a context, and {@code TransferQueue} posts the requests to one home.
 *
 * <p>Requests that the queue does not offer (messages, atomics, lists) are posted by hand on {@code BufView.localSegment}. The
 * caller keeps a handle open until their record: {@code RdmaBuf.retain} gives one to a thread that may see its owner close.
 *
 * <p>Memory of {@code RdmaBuf.allocate} is one mapping for one lease. A {@code MemorySegment} that outlives the lease
 * therefore throws, and cannot reach other bytes.
 *
 * <p>Nothing here knows a provider; no type of {@code io.urma4j} may use this package.
 */
@NullMarked
package io.urma4j.buffer;

import org.jspecify.annotations.NullMarked;

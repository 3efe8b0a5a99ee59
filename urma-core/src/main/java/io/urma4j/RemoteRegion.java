package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.ResultExecutors;
import io.urma4j.internal.remote.MemberImport;
import io.urma4j.internal.remote.RegionTable;
import io.urma4j.internal.remote.RemoteCalls;
import io.urma4j.internal.remote.RemoteLane;
import io.urma4j.internal.remote.RemoteLanes;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;

/**
 * A region, as an attached context sees it: the memory of its members, in any homes, as one address space with simple calls
 * (S7.12). Created by {@link UrmaContext#importRegion}.
 *
 * <p>A transfer that spans members is split. It returns when all of it is done, or with the first failure; then the parts
 * before the failing one are done. Before any byte moves, the call checks that every byte lies in a member that grants the
 * access. A member that was revoked, or whose home is gone, fails only for its own range. Members are imported when they
 * are first used.
 *
 * <p>The rules of {@link RemoteMemory} about threads, interrupts, failures and asynchronous forms apply here, too.
 */
public final class RemoteRegion implements AutoCloseable {
    /** Maximum size of a transfer in one piece. */
    private static final long PIECE_BYTES = 1 << 20;

    private final UrmaContext context;
    private final String name;
    private final RemoteSegment table;
    private final Lifetime life = new Lifetime(this);
    private final RemoteLanes lanes;
    private final ReentrantLock changing = new ReentrantLock(); // of the members, by a refresh or the close
    private volatile List<MemberImport> members = List.of(); // by offset

    private RemoteRegion(UrmaContext context, String name, RemoteSegment table) {
        this.context = context;
        this.name = name;
        this.table = table;
        this.lanes = new RemoteLanes(this, life, () -> new RemoteLane(this, table, PIECE_BYTES));
    }

    /** Takes ownership of the table's import, even if it fails. */
    static RemoteRegion open(UrmaContext context, String name, RemoteSegment table) {
        RemoteRegion made = null;
        try {
            if (table.lengthBytes() != RegionTable.BYTES) {
                throw Checks.invalid(context, "'" + name + "' is no region");
            }
            made = new RemoteRegion(context, name, table);
            made.refresh();
            return made;
        } catch (RuntimeException e) {
            if (made != null) {
                made.lanes.close();
            }
            table.close();
            throw e;
        }
    }

    public String name() {
        return name;
    }

    /** The known members. */
    public List<RegionMember> members() {
        life.checkOpen();
        return members.stream().map(MemberImport::member).toList();
    }

    /** One past the last byte of the last known member. */
    public long lengthBytes() {
        List<MemberImport> now = members;
        return now.isEmpty() ? 0 : now.getLast().member().end();
    }

    /**
     * Reads the members that the owner has appended and removed. Remaining members keep their imports.
     *
     * @throws HomeGoneException if the owner has closed the region, or is gone; then nothing has changed
     */
    public void refresh() {
        changing.lock();
        try {
            life.checkOpen();
            List<MemberImport> next = new ArrayList<>();
            Deque<MemberImport> old = new ArrayDeque<>(members);
            List<MemberImport> removed = new ArrayList<>();
            for (RegionMember member : readTable()) {
                while (!old.isEmpty() && old.element().member().offset() < member.offset()) {
                    removed.add(old.remove());
                }
                next.add(taken(old, member));
            }
            members = List.copyOf(next);
            removed.addAll(old);
            removed.forEach(MemberImport::close);
        } finally {
            changing.unlock();
        }
    }

    private List<RegionMember> readTable() {
        if (table.isRevoked()) {
            throw new HomeGoneException(this, "its owner closed it, or is gone");
        }
        RemoteLane lane = lanes.claim().aim(table, 0);
        try {
            long committed = RegionTable.checkedEnd(this, lane.readLong(RegionTable.COMMITTED));
            MemorySegment copy = MemorySegment.ofArray(new byte[(int) committed]);
            lane.read(0, copy);
            return RegionTable.members(this, copy);
        } finally {
            lane.lock.unlock();
        }
    }

    /** The import of that member, or a new one: old members and new ones are in the order of their offsets. */
    private MemberImport taken(Deque<MemberImport> old, RegionMember member) {
        MemberImport first = old.peek();
        return first != null && first.member().equals(member) ? old.remove() : new MemberImport(context, this, member);
    }

    // ---- transfers

    /** Writes all of {@code source}. */
    public void write(long offset, byte[] source) {
        write(offset, MemorySegment.ofArray(source));
    }

    /** Writes all of {@code source}, on the heap or off-heap. */
    public void write(long offset, MemorySegment source) {
        Checks.usableHere(this, "source", source);
        for (Part part : parts(offset, source.byteSize(), Access.READ_WRITE)) {
            perform(part, lane -> {
                lane.write(part.inMember, source.asSlice(part.inTransfer, part.lengthBytes));
                return 0;
            });
        }
    }

    /** Reads {@code length} bytes. */
    public byte[] read(long offset, int length) {
        Checks.inRange(this, "length", length, 0, Integer.MAX_VALUE);
        parts(offset, length, Access.READ); // before an array of that length is made
        byte[] bytes = new byte[length];
        read(offset, MemorySegment.ofArray(bytes));
        return bytes;
    }

    /** Fills {@code destination}, on the heap or off-heap. */
    public void read(long offset, MemorySegment destination) {
        Checks.usableHere(this, "destination", destination);
        if (destination.isReadOnly()) {
            throw Checks.invalid(this, "destination is read-only");
        }
        for (Part part : parts(offset, destination.byteSize(), Access.READ)) {
            perform(part, lane -> {
                lane.read(part.inMember, destination.asSlice(part.inTransfer, part.lengthBytes));
                return 0;
            });
        }
    }

    /** Writes 8 bytes, without tearing if they lie in one member and are aligned there (S8.10). */
    public void writeLong(long offset, long value) {
        MemorySegment bytes = MemorySegment.ofArray(new long[] {value});
        write(offset, bytes);
    }

    /** Reads 8 bytes, without tearing if they lie in one member and are aligned there (S8.10). */
    public long readLong(long offset) {
        long[] value = new long[1];
        read(offset, MemorySegment.ofArray(value));
        return value[0];
    }

    /** {@link RemoteMemory#compareAndSwap}, on 8 bytes of one member, aligned there. */
    public long compareAndSwap(long offset, long expected, long desired) {
        return atomic(Opcode.CAS, offset, desired, expected);
    }

    /** {@link RemoteMemory#fetchAndAdd}, on 8 bytes of one member, aligned there. */
    public long fetchAndAdd(long offset, long delta) {
        return atomic(Opcode.FADD, offset, delta, 0);
    }

    /** {@link RemoteMemory#swap}, on 8 bytes of one member, aligned there. */
    public long swap(long offset, long value) {
        return atomic(Opcode.SWAP, offset, value, 0);
    }

    /** {@link RemoteMemory#fetchAndSubtract}, on 8 bytes of one member, aligned there. */
    public long fetchAndSubtract(long offset, long delta) {
        return atomic(Opcode.FSUB, offset, delta, 0);
    }

    /** {@link RemoteMemory#fetchAndAnd}, on 8 bytes of one member, aligned there. */
    public long fetchAndAnd(long offset, long mask) {
        return atomic(Opcode.FAND, offset, mask, 0);
    }

    /** {@link RemoteMemory#fetchAndOr}, on 8 bytes of one member, aligned there. */
    public long fetchAndOr(long offset, long mask) {
        return atomic(Opcode.FOR, offset, mask, 0);
    }

    /** {@link RemoteMemory#fetchAndXor}, on 8 bytes of one member, aligned there. */
    public long fetchAndXor(long offset, long mask) {
        return atomic(Opcode.FXOR, offset, mask, 0);
    }

    /**
     * Executes one of the seven atomics, on 8 bytes of one member, aligned there.
     *
     * @param expected the comparand of CAS; ignored by the others
     * @return the previous value
     * @throws UrmaException EINVAL if the bytes span two members
     */
    public long atomic(Opcode opcode, long offset, long operand, long expected) {
        List<Part> parts = parts(offset, Long.BYTES, Access.READ_WRITE_ATOMIC);
        if (parts.size() != 1) {
            throw Checks.invalid(this, "the 8 bytes at offset " + offset + " of an atomic span two members");
        }
        Part only = parts.getFirst();
        return perform(only, lane -> lane.atomic(opcode, only.inMember, operand, expected));
    }

    /** The asynchronous form of {@link #write(long, byte[])}. */
    public CompletableFuture<Void> writeAsync(long offset, byte[] source) {
        return CompletableFuture.runAsync(() -> write(offset, source), ResultExecutors.VIRTUAL_THREADS);
    }

    /** The asynchronous form of {@link #read(long, int)}. */
    public CompletableFuture<byte[]> readAsync(long offset, int length) {
        return CompletableFuture.supplyAsync(() -> read(offset, length), ResultExecutors.VIRTUAL_THREADS);
    }

    // ---- where the bytes of a transfer are

    /** The part of a transfer that lies in one member. */
    private record Part(MemberImport of, long inMember, long inTransfer, long lengthBytes) {}

    /** All parts, checked; refreshes once if some lie behind the known end. */
    private List<Part> parts(long offset, long lengthBytes, Access wanted) {
        life.checkOpen();
        if ((offset | lengthBytes) < 0 || offset > Long.MAX_VALUE - lengthBytes) {
            throw Checks.outOfRange(this, offset, lengthBytes, lengthBytes());
        }
        if (offset + lengthBytes > lengthBytes()) {
            lookForMore();
        }
        List<Part> parts = new ArrayList<>();
        List<MemberImport> now = members;
        long at = offset;
        for (int i = firstBehind(now, offset); i < now.size() && at < offset + lengthBytes; i++) {
            MemberImport member = now.get(i);
            if (member.member().offset() > at) {
                break; // nothing is here
            }
            long part = Math.min(member.member().end(), offset + lengthBytes) - at;
            parts.add(new Part(member, at - member.member().offset(), at - offset, part));
            at += part;
        }
        if (at < offset + lengthBytes || offset > lengthBytes()) {
            throw Checks.invalid(
                    this,
                    "offset " + offset + " + length " + lengthBytes + " lies outside its members: no member has offset "
                            + at);
        }
        parts.forEach(part -> part.of.checkAccess(wanted));
        return parts;
    }

    private void lookForMore() {
        try {
            refresh();
        } catch (UrmaException e) {
            if (e.status() != UrmaStatus.ENOPERM) {
                throw e;
            }
            // the owner is gone: no more members
        }
    }

    /** Index of the first member that ends behind {@code offset}. */
    private static int firstBehind(List<MemberImport> members, long offset) {
        int low = 0;
        int high = members.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (members.get(middle).member().end() > offset) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    private long perform(Part part, ToLongFunction<RemoteLane> operation) {
        RemoteSegment segment = part.of.segment();
        long base = part.of.member().offset();
        try {
            return lanes.perform(lane -> operation.applyAsLong(lane.aim(segment, base)));
        } catch (IllegalStateException _) {
            throw Checks.invalid(this, RemoteCalls.CLOSED_MEANWHILE);
        }
    }

    /** Closes the region; operations in progress fail, and may have been done. Idempotent. */
    @Override
    public void close() {
        if (!life.end()) {
            return;
        }
        context.children().remove(this);
        lanes.close();
        changing.lock();
        try {
            members.forEach(MemberImport::close);
            members = List.of();
        } finally {
            changing.unlock();
        }
        table.close();
    }

    @Override
    public String toString() {
        return "region '" + name + "'";
    }
}

package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.ClosingOrder;
import io.urma4j.internal.Lifetime;
import io.urma4j.internal.PublishedNames;
import io.urma4j.internal.remote.RegionTable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A region, as its owner sees it: a name for an ordered set of segments of several homes (S7.12). Contexts that attach by
 * {@link UrmaContext#importRegion} see them as one address space, in the order in which they were appended. Offsets never move; a
 * removed member leaves a gap.
 *
 * <p>The owner publishes descriptors and tokens; the segments' homes enforce access. When the owner closes the region, or
 * is gone, no new context can attach, and attached contexts keep their members. Safe for any number of threads.
 */
public final class Region implements AutoCloseable {
    /** Maximum segments of one {@link #append}. */
    public static final int MAX_APPEND = 64;

    private final UrmaContext context;
    private final String name;
    private final SharedMemory memory;
    private final LocalSegment segment;
    private final MemorySegment table;
    private final Lifetime life = new Lifetime(this);
    private final NavigableMap<Long, Entry> byOffset = new TreeMap<>(); // these three: guarded by this
    private long end; // of the space of offsets
    private long committed;

    /** The location of a member's entry. */
    private record Entry(long at, RegionMember member) {}

    private Region(UrmaContext context, String name, SharedMemory memory, LocalSegment segment) {
        this.context = context;
        this.name = name;
        this.memory = memory;
        this.segment = segment;
        this.table = memory.segment();
        RegionTable.begin(table);
        this.committed = RegionTable.HEADER;
    }

    static Region create(UrmaContext context, String name, Token token) {
        PublishedNames.checked(context, name);
        ClosingOrder parts = new ClosingOrder(context);
        try {
            SharedMemory memory = parts.add(context.allocate(RegionTable.BYTES), 0);
            SegmentConfig config = SegmentConfig.of(Access.READ).withToken(token);
            Region made = new Region(context, name, memory, parts.add(context.register(memory, config), 0));
            made.segment.publish(name, false);
            return made;
        } catch (RuntimeException e) {
            parts.closeAll();
            throw e;
        }
    }

    public String name() {
        return name;
    }

    /** The members in the order of their offsets. */
    public synchronized List<RegionMember> members() {
        life.checkOpen();
        return byOffset.values().stream().map(Entry::member).toList();
    }

    /** The end of the last range that was ever assigned. */
    public synchronized long lengthBytes() {
        return end;
    }

    /**
     * Appends segments in order. Attached contexts see them when they next access an offset beyond their known end, or
     * {@linkplain RemoteRegion#refresh refresh}.
     *
     * @throws UrmaException EINVAL for more than {@link #MAX_APPEND}, a null, a LOCAL_ONLY segment, or offsets that would
     *     overflow; ENOMEM if the region is full; then nothing was appended
     */
    public synchronized void append(List<? extends @Nullable SharedSegment> segments) {
        life.checkOpen();
        Checks.inRange(this, "number of segments", segments.size(), 0, MAX_APPEND);
        List<Entry> added = new ArrayList<>();
        long at = committed;
        long offset = end;
        for (SharedSegment next : segments) {
            RegionMember member = new RegionMember(offset, checked(next));
            offset = checkedEnd(member);
            added.add(new Entry(at, member));
            at += RegionTable.entryBytes(member.segment().toLine());
        }
        if (at > RegionTable.BYTES) {
            throw new UrmaException(
                    UrmaStatus.ENOMEM,
                    this,
                    "has " + byOffset.size() + " members, and no free entries for " + segments.size() + " more");
        }
        for (Entry entry : added) {
            RegionTable.write(
                    table,
                    entry.at,
                    entry.member.offset(),
                    entry.member.segment().toLine());
            byOffset.put(entry.member.offset(), entry);
        }
        RegionTable.commit(table, at);
        committed = at;
        end = offset;
    }

    private SharedSegment checked(@Nullable SharedSegment segment) {
        SharedSegment present = Checks.notNull(this, "a segment", segment);
        if (present.descriptor().access() == Access.LOCAL_ONLY) {
            throw Checks.invalid(this, "a LOCAL_ONLY segment cannot be a member, since no process can import it");
        }
        return present;
    }

    private long checkedEnd(RegionMember member) {
        if (member.end() < 0) {
            throw Checks.invalid(
                    this, "offset " + member.offset() + " + length " + member.lengthBytes() + " is more than 2⁶³");
        }
        return member.end();
    }

    /**
     * Removes a member: contexts that attach or refresh from now on do not see it. It is not revoked; only its home can
     * revoke it.
     *
     * @param offset where it begins
     * @throws UrmaException EINVAL if no member begins there
     */
    public synchronized void remove(long offset) {
        life.checkOpen();
        Entry entry = byOffset.remove(offset);
        if (entry == null) {
            throw Checks.invalid(this, "no member begins at offset " + offset);
        }
        RegionTable.remove(table, entry.at);
    }

    /** Closes the region, and frees its name. Idempotent. */
    @Override
    public void close() {
        if (!life.end()) {
            return;
        }
        context.children().remove(this);
        segment.close();
        memory.close();
    }

    @Override
    public String toString() {
        return "region '" + name + "'";
    }
}

package io.urma4j.peer;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A client that writes down each call, and does in any of them what a test asks for. It owns 64 MiB from {@link #BASE} on, in
 * pages of 64 KiB that lie scattered, and bus addresses that differ from physical ones.
 */
final class ScriptedClient implements PeerMemoryClient {
    static final long BASE = 0x7f00_0000_0000L;
    static final long LENGTH = 64 << 20;
    static final long PAGE = 64 << 10;

    /** The calls of all acquisitions, as {@code name#acquisition}. */
    final List<String> calls = Collections.synchronizedList(new ArrayList<>());

    final List<Scripted> acquisitions = Collections.synchronizedList(new ArrayList<>());
    final ManualStreams streams = new ManualStreams();

    private final String name;
    private final Map<String, Runnable> script = new HashMap<>();
    ClientStyle style = ClientStyle.LEGACY;
    ClientVersion version = new ClientVersion(1, 0);
    ClientVersion pageTable = PinnedPages.BUILT_FOR;
    ClientVersion mappingTable = DmaMapping.BUILT_FOR;
    long pageBytes = PAGE;
    long busShift = 0x1_0000_0000L;

    ScriptedClient(String name) {
        this.name = name;
    }

    /** Before this call does its work, on the thread that makes it. */
    ScriptedClient in(String call, Runnable action) {
        script.put(call, action);
        return this;
    }

    /** This call throws. */
    ScriptedClient failing(String call, RuntimeException failure) {
        return in(call, () -> {
            throw failure;
        });
    }

    private void note(String call, int acquisition) {
        calls.add(call + "#" + acquisition);
        Runnable action = script.get(call);
        if (action != null) {
            action.run();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public ClientVersion version() {
        return version;
    }

    @Override
    public ClientStyle style() {
        return style;
    }

    @Override
    public List<PeerDevice> devices() {
        return List.of(new PeerDevice(0, "scripted", "", "", LENGTH));
    }

    @Override
    public Ownership acquire(DeviceRange range) {
        int number = acquisitions.size();
        note("acquire", number);
        if (!new DeviceRange(0, BASE, LENGTH).contains(range)) {
            return Ownership.NOT_MINE;
        }
        Scripted acquisition = new Scripted(number, range);
        acquisitions.add(acquisition);
        return new Ownership.Mine(acquisition);
    }

    @Override
    public DmaEngine engine(int ordinal) {
        return streams;
    }

    @Override
    public void close() {
        calls.add("close");
    }

    /** One registration. */
    final class Scripted implements PeerAcquisition {
        private final int number;
        private final DeviceRange range;
        private final List<DmaMapping> mapped = new ArrayList<>();
        private boolean pinned;
        Ticket ticket = new Ticket(0);
        Invalidator invalidator = (unknown, reason) -> {};

        Scripted(int number, DeviceRange range) {
            this.number = number;
            this.range = range;
        }

        @Override
        public DeviceIdentity identity() {
            return new DeviceIdentity(0, 1);
        }

        @Override
        public PinnedPages getPages(boolean writable, Ticket ticket, Invalidator invalidator) {
            this.ticket = ticket;
            this.invalidator = invalidator;
            note("getPages", number);
            pinned = true;
            DeviceRange whole = range.toPages(pageBytes);
            long[] physical = new long[(int) (whole.lengthBytes() / pageBytes)];
            for (int i = 0; i < physical.length; i++) {
                physical[i] = (long) (i * 7 % 64) * pageBytes;
            }
            return new PinnedPages(pageTable, whole, pageBytes, physical);
        }

        @Override
        public DmaMapping dmaMap(PinnedPages pages, DmaDevice device) {
            note("dmaMap:" + device.name(), number);
            long[] bus = new long[pages.count()];
            long[] lengths = new long[pages.count()];
            for (int i = 0; i < bus.length; i++) {
                bus[i] = pages.physicalAddress(i) + busShift * (device.domain() + 2);
                lengths[i] = pages.pageBytes();
            }
            DmaMapping mapping = new DmaMapping(mappingTable, device, bus, lengths);
            mapped.add(mapping);
            return mapping;
        }

        @Override
        public void dmaUnmap(DmaMapping mapping) {
            note("dmaUnmap:" + mapping.device().name(), number);
            if (!mapped.remove(mapping)) {
                calls.add("WRONG dmaUnmap#" + number);
            }
        }

        @Override
        public void putPages(PinnedPages pages) {
            note("putPages", number);
            if (!pinned || !mapped.isEmpty()) {
                calls.add("WRONG putPages#" + number);
            }
            pinned = false;
        }

        @Override
        public void release() {
            note("release", number);
            if (pinned) {
                calls.add("WRONG release#" + number);
            }
        }

        /** As a free does: returns once the registry does. */
        void free() {
            invalidate(InvalidationReason.FREED);
        }

        void invalidate(InvalidationReason reason) {
            if (style == ClientStyle.UNMAPS) {
                invalidator.invalidate(ticket, reason);
                mapped.clear();
                pinned = false;
            } else {
                invalidator.invalidate(ticket, reason);
            }
        }
    }
}

package io.urma4j.examples.blockstore.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the blocks in the files when a store is opened. Of each block, the slot with the highest revision counts whose header and
 * bytes fit their checksums. All other slots are free: torn writes, and contents that were replaced.
 *
 * <p>A slot that fails its checksum was torn, and so was never acknowledged, as long as the disk keeps what it has forced. A disk
 * that damages forced bytes is outside of this: then an earlier revision comes back.
 */
final class Recovery {
    private final Map<Long, List<Stored>> candidates = new HashMap<>();
    private int torn;

    private Recovery() {}

    /**
     * What was found.
     *
     * @param blocks the block's places, by number
     * @param torn slots that failed a checksum
     */
    record Found(Map<Long, Stored> blocks, int torn) {}

    static Found scan(List<SlotFile> files) throws IOException {
        Recovery recovery = new Recovery();
        for (SlotFile file : files) {
            recovery.readHeaders(file);
        }
        return recovery.choose();
    }

    private void readHeaders(SlotFile file) throws IOException {
        for (int slot = 0; slot < file.slots(); slot++) {
            Optional<SlotHeader> header = file.header(slot);
            if (header.isEmpty()) {
                torn++;
                file.free(slot);
                continue;
            }
            Stored stored = new Stored(
                    header.get().revision(),
                    header.get().lengthBytes(),
                    header.get().payloadCrc(),
                    new Stored.Place(file, slot));
            candidates
                    .computeIfAbsent(header.get().block(), _ -> new ArrayList<>(2))
                    .add(stored);
        }
    }

    private Found choose() throws IOException {
        Map<Long, Stored> blocks = new HashMap<>();
        for (Map.Entry<Long, List<Stored>> entry : candidates.entrySet()) {
            List<Stored> latestFirst = entry.getValue();
            latestFirst.sort(Comparator.comparingLong(Stored::revision).reversed());
            for (Stored stored : latestFirst) {
                if (!blocks.containsKey(entry.getKey()) && isWhole(stored)) {
                    blocks.put(entry.getKey(), stored);
                } else {
                    stored.place().free();
                }
            }
        }
        return new Found(blocks, torn);
    }

    private boolean isWhole(Stored stored) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(stored.lengthBytes());
        Stored.Place place = stored.place();
        boolean isWhole = place.file().hasPayload(place.slot(), stored.lengthBytes());
        if (isWhole) {
            place.file().read(place.slot(), bytes);
            isWhole = Checksum.of(bytes) == stored.payloadCrc();
        }
        torn += isWhole ? 0 : 1;
        return isWhole;
    }
}

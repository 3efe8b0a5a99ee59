package io.urma4j.buffer;

import io.urma4j.SegmentDescriptor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The segments of one message, each with what all its windows share. They are in arrays, so that a message makes no garbage. For
 * one thread at a time.
 */
final class WindowHomes {
    private int[] devices = new int[RemoteBuf.MOST_DEVICES];
    private int[] users = new int[RemoteBuf.MOST_DEVICES];
    private long[] importNumbers = new long[RemoteBuf.MOST_DEVICES];
    private @Nullable SegmentDescriptor[] segments = new SegmentDescriptor[RemoteBuf.MOST_DEVICES];
    private int count;
    private int latest; // of those that were found

    int count() {
        return count;
    }

    int device(int place) {
        return devices[place];
    }

    int user(int place) {
        return users[place];
    }

    long importNumber(int place) {
        return importNumbers[place];
    }

    SegmentDescriptor segment(int place) {
        SegmentDescriptor segment = segments[place];
        if (place >= count || segment == null) {
            throw new IndexOutOfBoundsException("segment " + place + " of " + count);
        }
        return segment;
    }

    void add(int device, int user, long importNumber, SegmentDescriptor segment) {
        if (count == segments.length) {
            devices = Arrays.copyOf(devices, 2 * count);
            users = Arrays.copyOf(users, 2 * count);
            importNumbers = Arrays.copyOf(importNumbers, 2 * count);
            segments = Arrays.copyOf(segments, 2 * count);
        }
        devices[count] = device;
        users[count] = user;
        importNumbers[count] = importNumber;
        segments[count] = segment;
        latest = count++;
    }

    /** The place of the segment of a window, which is added if it is not there. */
    int placeOf(RemoteBuf.Window window) {
        if (latest < count && isAt(latest, window)) {
            return latest; // neighbours in a list usually share their slab
        }
        for (int place = 0; place < count; place++) {
            if (isAt(place, window)) {
                latest = place;
                return place;
            }
        }
        add(window.device(), window.user(), window.key().importNumber(), window.segment());
        return latest;
    }

    private boolean isAt(int place, RemoteBuf.Window window) {
        return devices[place] == window.device()
                && users[place] == window.user()
                && importNumbers[place] == window.key().importNumber()
                && isSame(segments[place], window.segment());
    }

    @SuppressWarnings(
            "ReferenceEquality") // the usual case; a comparison of all values costs more than the rest of the message
    private static boolean isSame(@Nullable SegmentDescriptor one, SegmentDescriptor other) {
        return one == other || other.equals(one);
    }

    /** Keeps nothing of a message that is over. */
    void clear() {
        Arrays.fill(segments, 0, count, null);
        count = 0;
        latest = 0;
    }
}

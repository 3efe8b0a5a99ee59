package io.urma4j.buffer;

import io.urma4j.WindowGrant;
import java.util.ArrayList;
import java.util.List;

/** The windows that one lease has granted to peers. They end with it. Safe for any thread; no call waits. */
final class LeaseExports {
    private final long generation;
    private final List<Export> open = new ArrayList<>(1);
    private final List<WindowGrant> ending = new ArrayList<>(0); // revoked, and not known to be quiet
    private boolean isEnded;

    private record Export(RemoteBuf buf, List<WindowGrant> grants) {}

    /** @param generation of the lease */
    LeaseExports(long generation) {
        this.generation = generation;
    }

    long generation() {
        return generation;
    }

    /** Adds what was granted; false if the lease has ended, and then the grants are the caller's to revoke. */
    synchronized boolean add(RemoteBuf buf, List<WindowGrant> grants) {
        if (isEnded) {
            return false;
        }
        open.add(new Export(buf, grants));
        return true;
    }

    /** Revokes the windows of a buffer, or of a part of it; true if none of them is in use any more. */
    synchronized boolean takeBack(RemoteBuf buf) {
        for (int i = open.size() - 1; i >= 0; i--) { // the latest is the likeliest
            if (open.get(i).buf.windows().equals(buf.windows())) {
                end(open.remove(i));
                break;
            }
        }
        ending.removeIf(WindowGrant::isQuiet);
        return ending.isEmpty() || ending.stream().noneMatch(grant -> isOf(buf, grant));
    }

    private static boolean isOf(RemoteBuf buf, WindowGrant grant) {
        return buf.windows().stream().anyMatch(window -> window.key().equals(grant.key()));
    }

    private void end(Export export) {
        for (WindowGrant grant : export.grants) {
            if (!grant.takeBack()) {
                ending.add(grant);
            }
        }
    }

    /** Revokes all windows, and those that come later. Idempotent. */
    synchronized void takeBackAll() {
        isEnded = true;
        open.forEach(this::end);
        open.clear();
    }

    /** Whether all windows are revoked and no peer uses one any more. */
    synchronized boolean areQuiet() {
        ending.removeIf(WindowGrant::isQuiet);
        return open.isEmpty() && ending.isEmpty();
    }
}

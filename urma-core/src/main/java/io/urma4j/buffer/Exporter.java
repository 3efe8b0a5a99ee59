package io.urma4j.buffer;

import io.urma4j.Access;
import io.urma4j.DeviceAttributes;
import io.urma4j.LocalSegment;
import io.urma4j.PeerId;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.WindowGrant;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import java.util.ArrayList;
import java.util.List;

/** Grants a peer the windows of one export: one on each device that both have, all or none. For one export. */
final class Exporter {
    private final RdmaBuf buf;
    private final Peer peer;
    private final List<RemoteBuf.Window> windows = new ArrayList<>(2);
    private final List<WindowGrant> grants = new ArrayList<>(2);
    private int used; // bits: the peer's contexts that have their window

    Exporter(RdmaBuf buf, Peer peer) {
        this.buf = buf;
        this.peer = peer;
    }

    List<WindowGrant> grants() {
        return grants;
    }

    /**
     * Grants the range of the block's memory on each common device.
     *
     * @throws UrmaException EINVAL if there is none; or what a device refuses, and then nothing is granted
     */
    RemoteBuf grant(Block block, long offset, long lengthBytes, Access access) {
        List<LocalSegment> registrations = block.registrations();
        for (int device = 0; device < registrations.size(); device++) {
            LocalSegment registration = registrations.get(device);
            int user = userOf(registration);
            if (user >= 0) {
                used |= 1 << user;
                add(device, user, registration, offset, lengthBytes, access);
            }
        }
        if (windows.isEmpty()) {
            throw Checks.invalid(
                    buf,
                    "cannot be exported to " + peer + ": it has no device in common with "
                            + registrations.stream().map(LocalSegment::context).toList());
        }
        return RemoteBuf.of(windows);
    }

    /** The place of the peer's first context that reaches the registration and has no window; negative if there is none. */
    private int userOf(LocalSegment registration) {
        if (registration.access() == Access.LOCAL_ONLY) {
            return -1; // the device has no windows
        }
        UrmaContext home = registration.context();
        DeviceAttributes device = ApiAccess.api().attributesOf(home);
        List<Peer.Member> contexts = peer.contexts();
        for (int user = 0; user < contexts.size(); user++) {
            if ((used & 1 << user) == 0 && isReached(home, device, contexts.get(user))) {
                return user;
            }
        }
        return -1;
    }

    /** Whether both are on devices of one kind, and on one host if memory is shared by mapping it. */
    private static boolean isReached(UrmaContext home, DeviceAttributes device, Peer.Member context) {
        return device.provider().equals(context.provider())
                && (!device.capabilities().mappable()
                        || home.eid().equals(context.id().eid()));
    }

    private void add(int device, int user, LocalSegment registration, long offset, long lengthBytes, Access access) {
        PeerId id = peer.contexts().get(user).id();
        WindowGrant grant;
        try {
            grant = registration.grant(id, offset, lengthBytes, access);
        } catch (UrmaException e) {
            takeBack();
            throw new UrmaException(
                    e.status(),
                    buf,
                    "device " + registration.context().device().name() + " refused a window: " + e.reason(),
                    e);
        }
        grants.add(grant);
        windows.add(new RemoteBuf.Window(device, user, registration.descriptor(), grant.key()));
    }

    /** Revokes what was granted. */
    void takeBack() {
        grants.forEach(WindowGrant::close);
    }
}

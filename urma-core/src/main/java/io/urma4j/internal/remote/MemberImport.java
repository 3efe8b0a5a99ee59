package io.urma4j.internal.remote;

import io.urma4j.Access;
import io.urma4j.HomeGoneException;
import io.urma4j.RegionMember;
import io.urma4j.RemoteRegion;
import io.urma4j.RemoteSegment;
import io.urma4j.UrmaContext;
import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.ApiAccess;
import io.urma4j.internal.Checks;
import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/** A member of a region, imported when it is first used. Safe for any thread. */
public final class MemberImport {
    private static final System.Logger LOG = System.getLogger(MemberImport.class.getName());

    private final UrmaContext context;
    private final RemoteRegion region;
    private final RegionMember member;
    private volatile @Nullable RemoteSegment imported; // written under the lock of this
    private boolean closed; // guarded by this

    public MemberImport(UrmaContext context, RemoteRegion region, RegionMember member) {
        this.context = context;
        this.region = region;
        this.member = member;
    }

    public RegionMember member() {
        return member;
    }

    public void checkAccess(Access wanted) {
        if (!member.access().covers(wanted)) {
            throw Checks.noPermission(
                    region,
                    "its member at offset " + member.offset() + " is " + member.access() + ", which does not cover "
                            + wanted);
        }
    }

    /** The import; asks the member's home when there is none. */
    public RemoteSegment segment() {
        RemoteSegment there = imported;
        if (there == null) {
            there = importNow();
        }
        if (there.isRevoked()) {
            throw gone();
        }
        return there;
    }

    private HomeGoneException gone() {
        return ApiAccess.api()
                .homeGone(
                        region,
                        "its member at offset " + member.offset() + " was revoked by its home, or the home is gone");
    }

    private synchronized RemoteSegment importNow() {
        if (closed) {
            throw Checks.invalid(region, "its member at offset " + member.offset() + " was removed, or it is closed");
        }
        RemoteSegment there = imported;
        if (there == null) {
            there = firstImport();
            imported = there;
        }
        return there;
    }

    /** The owner has appended it with its token: a home that refuses that has revoked it, before its first use here (S7.14). */
    private RemoteSegment firstImport() {
        try {
            return context.importSegment(member.segment());
        } catch (UrmaException e) {
            if (e.status() == UrmaStatus.ENOPERM) {
                HomeGoneException gone = gone();
                gone.addSuppressed(e);
                throw gone;
            }
            throw e;
        }
    }

    /** Gives the import back. */
    public synchronized void close() {
        try {
            closed = true;
            if (imported != null) {
                imported.close();
            }
        } catch (UrmaException e) {
            LOG.log(
                    Level.DEBUG,
                    () -> region + ": a removed member is released only when the context closes: " + e.getMessage());
        }
    }
}

package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.spi.ProviderImport;
import io.urma4j.spi.ProviderWindow;

/**
 * A window of an imported segment, opened with a key from its home (S7.10). Offsets count from its start. Once the home has
 * revoked it, operations end with REM_ACCESS_ABORT_ERR and move no byte. Safe for any number of threads.
 */
public final class RemoteWindow implements ContextObject, RemoteRange {
    private final RemoteSegment segment;
    private final ProviderWindow provider;
    private final long lengthBytes;
    private final Access access;
    private final Lifetime life = new Lifetime(this);

    RemoteWindow(RemoteSegment segment, WindowKey key, ProviderWindow provider) {
        this.segment = segment;
        this.provider = provider;
        this.lengthBytes = key.lengthBytes();
        this.access = key.access();
    }

    @Override
    public long lengthBytes() {
        return lengthBytes;
    }

    @Override
    public Access access() {
        return access;
    }

    /**
     * True once this process knows that the home revoked it. With shared memory that is at once. Over a network, the first
     * refused operation shows it, since the home sends no notification.
     */
    public boolean isTakenBack() {
        return provider.isTakenBack();
    }

    @Override
    public UrmaContext context() {
        return segment.context();
    }

    RemoteSegment segment() {
        return segment;
    }

    Lifetime life() {
        return life;
    }

    /** {@link Jfs#write} into the window. */
    public boolean write(
            Jfs jfs,
            long offset,
            LocalSegment source,
            long sourceOffset,
            long length,
            long userContext,
            PostFlags flags) {
        check(jfs.context(), offset, length, Access.READ_WRITE);
        jfs.checks().length(length);
        var local = source.checked(context(), sourceOffset, length);
        ProviderImport target = provider.begin();
        try {
            return jfs.provider().write(target, offset, local, sourceOffset, length, userContext, flags.bits());
        } finally {
            provider.end();
        }
    }

    /** {@link Jfs#read} from the window. */
    public boolean read(
            Jfs jfs,
            long offset,
            LocalSegment destination,
            long destinationOffset,
            long length,
            long userContext,
            PostFlags flags) {
        check(jfs.context(), offset, length, Access.READ);
        jfs.checks().length(length);
        var local = destination.checkedAsDestination(context(), destinationOffset, length);
        ProviderImport source = provider.begin();
        try {
            return jfs.provider().read(source, offset, local, destinationOffset, length, userContext, flags.bits());
        } finally {
            provider.end();
        }
    }

    /** {@link Jfs#atomic} in the window; {@code offset} must be naturally aligned in the window. */
    public boolean atomic(
            Jfs jfs,
            Opcode opcode,
            long offset,
            LocalSegment result,
            long resultOffset,
            int sizeBytes,
            long operand,
            long expected,
            long userContext,
            PostFlags flags) {
        jfs.checks().atomic(opcode, resultOffset, sizeBytes);
        check(jfs.context(), offset, sizeBytes, Access.READ_WRITE_ATOMIC);
        Checks.atomicRange(this, offset, sizeBytes);
        var local = result.checkedAsDestination(context(), resultOffset, sizeBytes);
        ProviderImport target = provider.begin();
        try {
            return jfs.provider()
                    .atomic(
                            opcode.value(),
                            target,
                            offset,
                            local,
                            resultOffset,
                            sizeBytes,
                            operand,
                            expected,
                            userContext,
                            flags.bits());
        } finally {
            provider.end();
        }
    }

    /** Announces a work request, after its checks; {@link #end} follows, whether or not it was posted. */
    ProviderImport begin(UrmaContext user, long offset, long length, Access wanted) {
        check(user, offset, length, wanted);
        return provider.begin();
    }

    ProviderImport beginAtomic(UrmaContext user, long offset, int sizeBytes) {
        check(user, offset, sizeBytes, Access.READ_WRITE_ATOMIC);
        Checks.atomicRange(this, offset, sizeBytes);
        return provider.begin();
    }

    void end() {
        provider.end();
    }

    /** Checks of each post: open, of that context, with that access, and the range inside (S7.8). */
    private void check(UrmaContext user, long offset, long length, Access wanted) {
        life.checkOpen();
        if (user != context()) {
            throw Checks.invalid(this, "belongs to " + context() + ", not to " + user);
        }
        if (!access.covers(wanted)) {
            throw Checks.noPermission(this, "was granted as " + access + ", which does not cover " + wanted);
        }
        Checks.range(this, offset, length, lengthBytes);
    }

    /**
     * Closes it; only the home can revoke the grant. Idempotent.
     *
     * @throws UrmaException EAGAIN while unfinished work requests name it
     */
    @Override
    public void close() {
        Checks.nothingUnfinished(this, life, provider.unfinished());
        if (life.end()) {
            context().children().remove(this);
            segment.life().release(this);
        }
    }

    @Override
    public String toString() {
        return "window of " + lengthBytes + " bytes of " + segment;
    }
}

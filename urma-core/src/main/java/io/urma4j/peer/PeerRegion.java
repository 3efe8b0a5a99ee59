package io.urma4j.peer;

import io.urma4j.UrmaException;
import io.urma4j.UrmaStatus;
import io.urma4j.internal.Checks;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A registered range of device memory, and the only way by which a provider moves its bytes: a copy that the region admits
 * ends before an invalidation returns, and later ones are refused.
 *
 * <p>Created by {@link PeerMemoryRegistry#pin} with pages pinned and mapped. The provider then makes its keys, and calls {@link
 * #activate}, or {@link #close} if it cannot. Safe for any thread.
 *
 * <p>One transition runs at a time; others wait for it. A client's lock may be held by the thread that invalidates, so a
 * deregistration calls the client only after it has let invalidations pass (state {@link RegionState#STOPPED}).
 */
public final class PeerRegion implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(PeerRegion.class.getName());

    /** How long an invalidation waits for copies before it aborts them: the time that NVIDIA gives a free callback. */
    static final Duration FENCE_TIMEOUT = Duration.ofMillis(5);

    /** How often pages may move under one operation before it fails. */
    private static final int MAX_REPINS = 3;

    final ClientEntry client;
    private final PeerAcquisition acquisition;
    private final DeviceRange range;
    private final boolean writable;
    private final DeviceIdentity identity;
    private final MappedPages pages; // owned by the thread that performs a transition
    final CopiesInFlight copies = new CopiesInFlight();
    private final Ticket ticket;

    final RegionLife life = new RegionLife(this); // guards what follows
    private @Nullable InvalidationReason pending; // that came while a client's call was in progress
    private boolean isPendingByForce; // the client has not unmapped anything
    private volatile @Nullable RegionUser user; // from the activation on

    /** @throws UrmaException ENOMEM if there are too many registrations */
    PeerRegion(ClientEntry client, PeerAcquisition acquisition, PinRequest request) {
        this.client = client;
        this.acquisition = acquisition;
        this.range = request.range();
        this.writable = request.writable();
        this.identity = acquisition.identity();
        this.pages = new MappedPages(client, acquisition, range, request.devices());
        this.ticket = client.tickets().add(this);
    }

    /** Pins and maps the pages; afterwards the caller owns the region. A failure undoes everything, and releases it. */
    void pin() {
        life.begin();
        try {
            pages.pin(writable, ticket, client::invalidate);
            life.move(RegionState.PINNED);
            pages.map();
        } catch (RuntimeException | Error e) {
            life.end(RegionState.STOPPED);
            release();
            throw e;
        }
        InvalidationReason early;
        boolean isByClient;
        synchronized (life) {
            early = pending;
            pending = null;
            isByClient = !isPendingByForce;
            if (early == null) {
                life.end(RegionState.MAPPED);
                return;
            }
            life.move(RegionState.MAPPED);
            life.beginInvalidation(early);
        }
        performInvalidation(early, isByClient);
    }

    /**
     * Lets operations begin, once the provider's keys exist. Called once.
     *
     * @throws UrmaException EINVAL if the memory was invalidated meanwhile: then the keys have been revoked, and the caller
     *     closes the region
     */
    public void activate(RegionUser keys) {
        InvalidationReason early;
        synchronized (life) {
            life.await(Long.MAX_VALUE);
            user = keys;
            if (life.state() == RegionState.MAPPED) {
                life.move(RegionState.ACTIVE);
                copies.open();
                return;
            }
            if (life.state() == RegionState.MOVED) {
                return; // the first copy pins it
            }
            early = life.reason();
        }
        if (early == null) {
            throw Checks.invalid(this, "cannot be activated: it is " + life.state());
        }
        guardUser("revoke", () -> keys.revoke(early));
        guardUser("invalidated", () -> keys.invalidated(early));
        throw Checks.invalid(this, "was invalidated while it was registered: " + early);
    }

    /** What the client asks for. Returns once no byte moves. */
    void invalidate(InvalidationReason reason) {
        boolean isStopping;
        synchronized (life) {
            if (life.isMine()) {
                pending = reason; // the client calls back within a call, which sees this when it returns
                return;
            }
            if (life.state().isRegistering()) {
                pending = reason; // the registering thread sees this before the region is used
            }
            life.await(Long.MAX_VALUE);
            isStopping = life.state() == RegionState.STOPPING;
            if (life.state().mayBecome(RegionState.INVALIDATING)) {
                life.beginInvalidation(reason);
            } else if (!isStopping) {
                return;
            }
        }
        if (isStopping) {
            fence(Long.MAX_VALUE); // a deregistration gave up waiting for copies
        } else {
            performInvalidation(reason, true);
        }
    }

    /**
     * What the registry asks for, by force: the client has not unmapped anything. If memory is freed, it returns once no byte
     * moves, also while a deregistration waits for copies, or a call of the client does not return.
     */
    void revoke(InvalidationReason reason) {
        boolean isBegun = false;
        synchronized (life) {
            if (life.state().isRegistering() && pending == null) {
                pending = reason;
                isPendingByForce = true;
            }
            if (!life.await(client.callTimeout().toNanos())) {
                LOG.log(Level.WARNING, "{0} stays pinned: a call of its client has not returned", this);
                pending = reason; // of pages that are pinned anew: they admit no copy
            } else if (life.state().mayBecome(RegionState.INVALIDATING)) {
                life.beginInvalidation(reason);
                isBegun = true;
            }
        }
        if (isBegun) {
            performInvalidation(reason, false);
        } else if (reason != InvalidationReason.CLIENT_GONE) { // which keeps the memory until its regions are closed
            fence(Long.MAX_VALUE);
            RegionEnd.finish(this);
        }
    }

    /** Keys first: otherwise new copies arrive for ever. Then the copies in progress, and then the pages. */
    private void performInvalidation(InvalidationReason reason, boolean byClient) {
        boolean isMove = life.state() == RegionState.MOVING;
        RegionUser keys = isMove ? null : user; // before the activation there are none
        client.enterInvalidation();
        try {
            if (keys != null) {
                guardUser("revoke", () -> keys.revoke(reason));
            }
            fence(Long.MAX_VALUE);
            if (byClient && client.style() == ClientStyle.UNMAPS) {
                pages.forget();
            } else {
                pages.unmapAndPut();
            }
            if (keys != null) {
                guardUser("invalidated", () -> keys.invalidated(reason));
            }
        } finally {
            client.leaveInvalidation();
            life.end(isMove ? RegionState.MOVED : RegionState.INVALIDATED);
        }
    }

    /** Returns whether no copy is in progress any more. */
    private boolean fence(long limitNanos) {
        if (!copies.fence(FENCE_TIMEOUT.toNanos())) {
            client.stats().lateFences.increment();
            return copies.abort(limitNanos);
        }
        return true;
    }

    private void guardUser(String call, Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "{0}: its user failed in {1}, the invalidation goes on: {2}", this, call, e);
        }
    }

    /**
     * Copies host memory into the region. Returns once the copy has been started.
     *
     * @param copy reports the end
     * @throws UrmaException EINVAL if the range does not lie in the region, or the region was invalidated: then nothing was
     *     started
     */
    public void copyIn(CopyStream stream, long offset, MemorySegment source, Copy copy) {
        for (int repins = 0; !tryCopyIn(stream, offset, source, copy); repins++) {
            awaitReopened(repins);
        }
    }

    /** Copies from the region to host memory; like {@link #copyIn}. */
    public void copyOut(CopyStream stream, long offset, MemorySegment target, Copy copy) {
        for (int repins = 0; !tryCopyOut(stream, offset, target, copy); repins++) {
            awaitReopened(repins);
        }
    }

    /**
     * Like {@link #copyIn} for a thread that must not wait.
     *
     * @return false if the region admits no copy at this moment: it was invalidated, or its pages have moved ({@link #reopen})
     */
    public boolean tryCopyIn(CopyStream stream, long offset, MemorySegment source, Copy copy) {
        return tryCopy(stream, offset, source, copy, true);
    }

    /** Like {@link #copyOut} for a thread that must not wait; see {@link #tryCopyIn}. */
    public boolean tryCopyOut(CopyStream stream, long offset, MemorySegment target, Copy copy) {
        return tryCopy(stream, offset, target, copy, false);
    }

    private boolean tryCopy(CopyStream stream, long offset, MemorySegment host, Copy copy, boolean isIn) {
        long address = address(offset, host.byteSize());
        if (!copies.begin(copy.near, stream)) {
            return false;
        }
        try {
            if (isIn) {
                stream.copyIn(address, host, copy);
            } else {
                stream.copyOut(address, host, copy);
            }
        } catch (RuntimeException e) {
            copy.near.release();
            throw e;
        }
        return true;
    }

    /**
     * Pins and maps pages that have moved, so that copies are admitted again. Blocks for the calls of the client.
     *
     * @throws UrmaException EINVAL if the region was invalidated for good, or the pages cannot be pinned
     */
    public void reopen() {
        if (!isBackAfterMove()) {
            throw Checks.invalid(this, "cannot be accessed: it is " + life.state());
        }
    }

    /** The device address of a range, which lies in the region; EINVAL otherwise. */
    long address(long offset, long lengthBytes) {
        Checks.range(this, offset, lengthBytes, range.lengthBytes());
        return range.address() + offset;
    }

    /** Admits a copy, also after a move of its pages; EINVAL if the region was invalidated for good. */
    void admit(CopyHold hold, CopyStream stream) {
        for (int repins = 0; !copies.begin(hold, stream); repins++) {
            awaitReopened(repins);
        }
    }

    private void awaitReopened(int repins) {
        if (repins == MAX_REPINS) {
            throw Checks.invalid(this, "cannot be accessed: its pages have moved " + repins + " times");
        }
        reopen();
    }

    /** Waits for another thread's transition, and pins pages that have moved. Returns whether a copy may be tried. */
    private boolean isBackAfterMove() {
        synchronized (life) {
            if (!life.await(client.callTimeout().toNanos())) {
                return false;
            }
            if (life.state() != RegionState.MOVED || user == null) {
                return life.state() == RegionState.ACTIVE;
            }
        }
        client.checkAnswers();
        client.call("getPages", this::repin, region -> {});
        return true;
    }

    private PeerRegion repin() {
        synchronized (life) {
            if (life.isChanging() || life.state() != RegionState.MOVED) {
                return this; // another copy came first
            }
            life.begin(); // what is pending came too late for the move: these pages are given back
        }
        RegionState result = RegionState.MOVED;
        InvalidationReason again;
        try {
            pages.pin(writable, ticket, client::invalidate);
            pages.map();
            client.stats().repins.increment();
            synchronized (life) {
                if (pending == null) {
                    copies.open();
                    result = RegionState.ACTIVE;
                }
            }
        } finally {
            if (result == RegionState.MOVED) {
                pages.unmapAndPut();
            }
            synchronized (life) {
                again = pending;
                pending = null;
            }
            life.end(result);
            if (again != null) {
                invalidate(again); // also if the client failed after its callback
            }
        }
        return this;
    }

    /**
     * Deregisters: waits for the copies in progress, unmaps and puts the pages. Idempotent; called again after a timeout, it
     * goes on.
     *
     * @throws IllegalStateException within an invalidation, which would wait for itself
     * @throws UrmaException ETIMEOUT if the device ends no copies, or its client does not answer
     */
    @Override
    public void close() {
        synchronized (life) {
            if (life.isMine()) {
                throw new IllegalStateException(this + " cannot be closed within its own invalidation");
            }
            if (!life.await(client.callTimeout().toNanos())) {
                throw timeout("another thread's call of its client has not returned");
            }
            if (life.state() == RegionState.STOPPED || life.state() == RegionState.RELEASED) {
                return;
            }
            life.begin();
            if (life.state() == RegionState.ACTIVE || life.state() == RegionState.MOVED) {
                life.move(RegionState.STOPPING);
            }
        }
        if (!fence(client.callTimeout().toNanos())) {
            life.end(RegionState.STOPPING);
            throw timeout(copies.count() + " copies have not ended, although they were aborted");
        }
        life.end(RegionState.STOPPED);
        client.call("release", this::release, region -> {});
    }

    private UrmaException timeout(String what) {
        String text = what + " within " + client.callTimeout().toMillis() + " ms";
        return new UrmaException(UrmaStatus.ETIMEOUT, this, text);
    }

    /** The region is stopped, and so no other thread touches its pages. */
    private PeerRegion release() {
        pages.unmapAndPut();
        client.tickets().remove(ticket);
        client.guard("release", acquisition::release);
        life.move(RegionState.RELEASED);
        client.released(this);
        return this;
    }

    /** The registered bytes. */
    public DeviceRange range() {
        return range;
    }

    public DeviceIdentity identity() {
        return identity;
    }

    /** The name of its client. */
    public String client() {
        return client.name();
    }

    /** The copy engine of its device. */
    public DmaEngine engine() {
        return client.engine(identity.ordinal());
    }

    /** Whether operations run: neither invalidated nor closed. */
    public boolean isUsable() {
        return life.state().isUsable();
    }

    /** Whether its pages are pinned, or will be again: the memory must not be freed under it. */
    boolean isHeld() {
        return life.state().isHeld() || life.state() == RegionState.STOPPED && pages.isPinned();
    }

    /** The bus address of a byte, for one of the devices that the region was pinned for; EINVAL for others. */
    public long busAddress(DmaDevice device, long offset) {
        synchronized (life) {
            if (life.isChanging() && !life.isMine()) {
                throw Checks.invalid(this, "has no bus addresses now: it is " + life.state());
            }
            return pages.busAddress(device, offset);
        }
    }

    /** Distinguishes it from the other registrations of its registry. */
    long number() {
        return Integer.toUnsignedLong(ticket.number());
    }

    /** For display: its state, and the reason of an invalidation. */
    String stateText() {
        return life.toString();
    }

    /** What holds it, for display; empty before the activation. */
    String holder() {
        RegionUser holding = user;
        return holding == null ? "" : holding.holder();
    }

    /** Copies that have not ended. */
    public int copiesInFlight() {
        return copies.count();
    }

    @Override
    public String toString() {
        return client.name() + ":" + identity.ordinal() + " memory " + range;
    }
}

package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.spi.ProviderContext;

/**
 * A number by which peers find segments, allocated separately, so that it is known before a segment exists, or outlives it
 * (S7.4). Safe for any thread.
 */
public final class TokenId implements ContextObject {
    private final UrmaContext context;
    private final ProviderContext provider;
    private final int value;
    private final boolean shareable;
    private final Lifetime life = new Lifetime(this);

    TokenId(UrmaContext context, ProviderContext provider) {
        this.context = context;
        this.provider = provider;
        this.value = provider.allocateTokenId();
        this.shareable = context.attributes().capabilities().sharedTokenIds();
    }

    public int value() {
        return value;
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    /** Marks it as used by a segment; EINVAL if another segment uses it and the device allows only one. */
    synchronized void use(Object segment) {
        if (!shareable && life.isHeld()) {
            throw Checks.invalid(this, "is used by a segment already, and this device allows one segment a token id");
        }
        life.retain(segment);
    }

    /** Marks it as used by the segment of a finished registration. */
    synchronized void pass(Object registration, Object segment) {
        life.retain(segment);
        life.release(registration);
    }

    synchronized void release(Object segment) {
        life.release(segment);
    }

    /**
     * Frees it. Idempotent.
     *
     * @throws UrmaException EINVAL while a segment uses it
     */
    public void free() {
        try {
            close();
        } catch (UrmaException e) {
            throw e.status() == UrmaStatus.EAGAIN ? new UrmaException(UrmaStatus.EINVAL, this, e.reason(), e) : e;
        }
    }

    /** {@link #free}, but refused with EAGAIN like every close of an object in use. */
    @Override
    public void close() {
        if (life.end()) {
            context.children().remove(this);
            provider.freeTokenId(value);
        }
    }

    @Override
    public String toString() {
        return "token id " + context.uasid() + "/" + value;
    }
}

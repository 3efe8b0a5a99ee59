package io.urma4j;

import io.urma4j.internal.Checks;
import io.urma4j.internal.Lifetime;
import io.urma4j.spi.ProviderContext;
import io.urma4j.spi.ProviderJettyGroup;
import java.util.ArrayList;
import java.util.List;

/**
 * RM Jetties that receive under one number: a message to the group reaches one of them (S5.5). Safe for any number of
 * threads.
 */
public final class JettyGroup implements ContextObject {
    /** Maximum Jetties in a group (S1.6). */
    public static final int MAX_JETTIES = 32;

    private final UrmaContext context;
    private final JettyGroupConfig config;
    private final ProviderJettyGroup provider;
    private final Lifetime life = new Lifetime(this);
    private final List<Jetty> members = new ArrayList<>(); // guarded by this

    JettyGroup(UrmaContext context, ProviderContext from, JettyGroupConfig config) {
        this.context = context;
        this.config = config;
        this.provider = from.createJettyGroup(config);
    }

    public int id() {
        return provider.id();
    }

    public JettyGroupConfig.Choice choice() {
        return config.choice();
    }

    /** What a peer needs to send to the group, except the token. */
    public JettyDescriptor descriptor() {
        return provider.descriptor();
    }

    /** The secret that senders need. */
    public Token token() {
        return config.token();
    }

    /** Descriptor and token as one line for any side channel. */
    public String share() {
        return new SharedJetty(descriptor(), token()).toLine();
    }

    public synchronized List<Jetty> members() {
        return List.copyOf(members);
    }

    /**
     * Adds a Jetty: messages to the group may reach it from now on. Closing the Jetty removes it.
     *
     * @throws UrmaException EINVAL if the group is full, or the Jetty is already in a group, is not RM, or differs from the
     *     group in token or policy
     */
    public synchronized void add(Jetty jetty) {
        life.checkOpen();
        Checks.belongs(this, jetty, context);
        if (jetty.jfs().mode() != TransportMode.RM) {
            throw Checks.invalid(this, jetty + " is of mode " + jetty.jfs().mode() + ", members are of mode RM");
        }
        if (jetty.jfr().policy() != config.policy()
                || (config.policy() != TokenPolicy.NONE && !jetty.token().equals(config.token()))) {
            throw Checks.invalid(this, jetty + " has another token or token policy than the group");
        }
        if (members.size() == MAX_JETTIES) {
            throw Checks.invalid(this, "has " + MAX_JETTIES + " members, which is the limit");
        }
        jetty.joins(this);
        try {
            provider.add(jetty.jfs().provider());
        } catch (RuntimeException e) {
            jetty.leaves(this);
            throw e;
        }
        members.add(jetty);
    }

    /**
     * Removes a Jetty: no message to the group begins at it from now on.
     *
     * @throws UrmaException EINVAL if it is not a member
     */
    public void remove(Jetty jetty) {
        life.checkOpen();
        if (!forget(jetty)) {
            throw Checks.invalid(this, jetty + " is no member");
        }
        jetty.leaves(this);
    }

    /** Removes a member; false if it was none. */
    synchronized boolean forget(Jetty jetty) {
        if (!members.remove(jetty)) {
            return false;
        }
        provider.remove(jetty.jfs().provider());
        return true;
    }

    /**
     * Closes the group. Idempotent.
     *
     * @throws UrmaException ENOPERM while it has members
     */
    @Override
    public void close() {
        synchronized (this) {
            if (!members.isEmpty() && !life.isClosed()) {
                throw Checks.noPermission(this, "cannot be closed, its members are " + members);
            }
            if (!life.end()) {
                return;
            }
        }
        context.children().remove(this);
        provider.close();
    }

    @Override
    public UrmaContext context() {
        return context;
    }

    ProviderJettyGroup provider() {
        return provider;
    }

    @Override
    public String toString() {
        return "Jetty group " + context.uasid() + "/" + provider.id();
    }
}

package io.urma4j.spi;

import io.urma4j.JettyDescriptor;

/** Jetties that receive under one number. The caller has checked what may be a member. */
public interface ProviderJettyGroup {
    int id();

    /** What a peer needs to send to it, except the token. */
    JettyDescriptor descriptor();

    void add(ProviderSendQueue jetty);

    void remove(ProviderSendQueue jetty);

    /** Ends it; it has no members. */
    void close();
}

package io.urma4j.spi;

import io.urma4j.JettyDescriptor;

/** Jetties that receive under one number. The caller has checked the members. */
public interface ProviderJettyGroup {
    int id();

    /** What a peer needs to send to the group, except the token. */
    JettyDescriptor descriptor();

    void add(ProviderSendQueue jetty);

    void remove(ProviderSendQueue jetty);

    /** Closes the group, which has no members. */
    void close();
}

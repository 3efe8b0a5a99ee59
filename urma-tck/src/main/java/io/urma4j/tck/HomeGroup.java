package io.urma4j.tck;

import io.urma4j.SharedJetty;

/** A Jetty group of the home. */
public interface HomeGroup extends HomeObject {
    /** Descriptor and token, for senders. */
    SharedJetty shared();

    void add(HomeQueue jetty);

    void remove(HomeQueue jetty);

    int size();

    void close();
}

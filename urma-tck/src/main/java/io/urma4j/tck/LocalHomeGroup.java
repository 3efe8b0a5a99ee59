package io.urma4j.tck;

import io.urma4j.JettyGroup;
import io.urma4j.SharedJetty;

/** A Jetty group of a home in this process. */
final class LocalHomeGroup implements HomeGroup {
    private final JettyGroup group;

    LocalHomeGroup(JettyGroup group) {
        this.group = group;
    }

    @Override
    public SharedJetty shared() {
        return new SharedJetty(group.descriptor(), group.token());
    }

    @Override
    public void add(HomeQueue jetty) {
        group.add(((LocalHomeQueue) jetty).jetty());
    }

    @Override
    public void remove(HomeQueue jetty) {
        group.remove(((LocalHomeQueue) jetty).jetty());
    }

    @Override
    public int size() {
        return group.members().size();
    }

    @Override
    public void close() {
        group.close();
    }
}

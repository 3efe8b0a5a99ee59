package io.urma4j.socket;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.channels.MembershipKey;
import java.nio.channels.MulticastChannel;
import org.jspecify.annotations.Nullable;

/** A membership whose channel is ours. */
final class UrmaMembershipKey extends MembershipKey {
    private final MulticastChannel channel;
    private final MembershipKey inner;

    UrmaMembershipKey(MulticastChannel channel, MembershipKey inner) {
        this.channel = channel;
        this.inner = inner;
    }

    @Override
    public boolean isValid() {
        return inner.isValid();
    }

    @Override
    public void drop() {
        inner.drop();
    }

    @Override
    public MembershipKey block(InetAddress source) throws IOException {
        inner.block(source);
        return this;
    }

    @Override
    public MembershipKey unblock(InetAddress source) {
        inner.unblock(source);
        return this;
    }

    @Override
    public MulticastChannel channel() {
        return channel;
    }

    @Override
    public InetAddress group() {
        return inner.group();
    }

    @Override
    public NetworkInterface networkInterface() {
        return inner.networkInterface();
    }

    @Override
    public @Nullable InetAddress sourceAddress() {
        return inner.sourceAddress();
    }

    @Override
    public String toString() {
        return inner.toString();
    }
}

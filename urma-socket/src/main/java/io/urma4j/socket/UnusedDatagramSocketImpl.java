package io.urma4j.socket;

import java.net.DatagramPacket;
import java.net.DatagramSocketImpl;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;

/** What the constructor of a datagram socket asks for; ours overrides whatever would use it. */
@SuppressWarnings({"deprecation", "removal"}) // abstract methods that the JDK has deprecated
final class UnusedDatagramSocketImpl extends DatagramSocketImpl {
    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("the socket of a channel has no implementation of its own");
    }

    @Override
    protected void create() {
        throw unused();
    }

    @Override
    protected void bind(int port, InetAddress address) {
        throw unused();
    }

    @Override
    protected void send(DatagramPacket packet) {
        throw unused();
    }

    @Override
    protected int peek(InetAddress sender) {
        throw unused();
    }

    @Override
    protected int peekData(DatagramPacket packet) {
        throw unused();
    }

    @Override
    protected void receive(DatagramPacket packet) {
        throw unused();
    }

    @Override
    protected void setTTL(byte ttl) {
        throw unused();
    }

    @Override
    protected byte getTTL() {
        throw unused();
    }

    @Override
    protected void setTimeToLive(int ttl) {
        throw unused();
    }

    @Override
    protected int getTimeToLive() {
        throw unused();
    }

    @Override
    protected void join(InetAddress group) {
        throw unused();
    }

    @Override
    protected void leave(InetAddress group) {
        throw unused();
    }

    @Override
    protected void joinGroup(SocketAddress group, NetworkInterface from) {
        throw unused();
    }

    @Override
    protected void leaveGroup(SocketAddress group, NetworkInterface from) {
        throw unused();
    }

    @Override
    protected void close() {}

    @Override
    public void setOption(int option, Object value) {
        throw unused();
    }

    @Override
    public Object getOption(int option) {
        throw unused();
    }
}

package io.urma4j.udma.control;

import io.urma4j.Eid;

/** The range of addresses that one sender can use: one IPv4 address, or 64 bits of an IPv6 address. */
public record Network(long high, long low) {
    public static Network of(Eid address) {
        boolean isIpv4 = address.high() == 0;
        return new Network(address.high(), isIpv4 ? address.low() : 0);
    }
}

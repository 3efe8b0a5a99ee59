package io.urma4j.socket.peering;

import io.urma4j.socket.ring.Carrier;
import io.urma4j.socket.ring.RingReader;

/**
 * A ring that this process reads, for one connection.
 *
 * @param slot its number in the arena
 * @param carrier takes what this end stores to the other one
 */
record OwnRing(int slot, RingReader reader, Carrier carrier) {}

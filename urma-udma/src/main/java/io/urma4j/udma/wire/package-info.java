/**
 * Packets of RoCEv2 to the byte: the BTH, a class per extended header, and the ICRC. No socket, no state, no allocation.
 * Start with {@link io.urma4j.udma.wire.Packet}; {@link io.urma4j.udma.wire.PacketCheck} validates received packets.
 */
@NullMarked
package io.urma4j.udma.wire;

import org.jspecify.annotations.NullMarked;

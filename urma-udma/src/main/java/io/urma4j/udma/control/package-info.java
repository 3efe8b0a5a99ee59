/**
 * What contexts of the network agree on beside the data, as datagrams to QP 1: greeting with a proof of address, import,
 * revocation, binding, liveness, goodbye. The messages are the core's ({@code io.urma4j.spi.control}); here is what a
 * network adds to them: datagrams are lost, doubled and forged.
 *
 * <p>No socket, no thread, no clock: datagrams and the time are handed in, datagrams and the next deadline are handed
 * back. Read {@link io.urma4j.udma.control.ControlDatagram}, {@link io.urma4j.udma.control.ControlPort},
 * {@link io.urma4j.udma.control.ControlPlane}, {@link io.urma4j.udma.control.Peer}.
 */
@NullMarked
package io.urma4j.udma.control;

import org.jspecify.annotations.NullMarked;

/**
 * The control plane over the network, as datagrams to QP 1: greeting with a proof of address, import, revocation, binding,
 * liveness, goodbye. The messages are the core's ({@code io.urma4j.spi.control}). This package handles what a network adds:
 * lost, duplicated and forged datagrams.
 *
 * <p>No socket, no thread, no clock: the caller passes datagrams and the time, and gets datagrams and the next deadline. Read
 * {@link io.urma4j.udma.control.ControlDatagram}, {@link io.urma4j.udma.control.ControlPort},
 * {@link io.urma4j.udma.control.ControlPlane}, {@link io.urma4j.udma.control.Peer}. {@code OutgoingGreetings} connects,
 * {@code Requests} asks, retransmits and drops what is lost, and {@code Liveness} finds silent peers.
 */
@NullMarked
package io.urma4j.udma.control;

import org.jspecify.annotations.NullMarked;

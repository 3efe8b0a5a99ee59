/**
 * The I/O layer: UDP sockets that send and receive packets without interpreting them. Start with
 * {@link io.urma4j.udma.udp.UdpPort}; {@link io.urma4j.udma.udp.PortOptions} has the options,
 * {@link io.urma4j.udma.udp.IoBackend} the I/O backends.
 *
 * <p>Only the driver may use this package. It knows the wire format and the contract of the transport's port, but neither
 * connections nor queues.
 */
@NullMarked
package io.urma4j.udma.udp;

import org.jspecify.annotations.NullMarked;

/**
 * The I/O shell: UDP sockets that packets leave and arrive by, and nothing that knows what the packets mean. Start with
 * {@link io.urma4j.udma.udp.UdpPort}; {@link io.urma4j.udma.udp.PortOptions} says what can be chosen,
 * {@link io.urma4j.udma.udp.IoBackend} which backends there are.
 *
 * <p>Only the driver, the engine and {@code urma ping} may use this package. It knows the wire and the contract of the
 * transport's port, and neither connections nor queues.
 */
@NullMarked
package io.urma4j.udma.udp;

import org.jspecify.annotations.NullMarked;

/**
 * The control plane over Unix sockets: identity of peers, import of segments, and their revocation.
 *
 * <p>Read {@link io.urma4j.shm.control.ControlPlane}, then {@code Engine}, whose thread owns all state here, {@code Peers}
 * (connected contexts; {@code Listener} accepts them, {@code LostPeers} awaits their end), {@code Serving} (dispatches their
 * messages), {@code Exports} and {@code Imports} (the two sides of an import), {@code Paths}, {@code RuntimeDirectory}. No byte
 * of a work request passes through this package, and it does not know queues.
 */
@NullMarked
package io.urma4j.shm.control;

import org.jspecify.annotations.NullMarked;

/**
 * The Unix socket beside the shared memory: who the peers are, what they may map, and how it is taken back.
 *
 * <p>Read {@link io.urma4j.shm.control.ControlPlane}, then {@code Engine}, whose thread owns all state here, {@code
 * Peers} (who is there), {@code Serving} (who hears what they say), {@code Exports} and {@code Imports} (the two sides
 * of an import), {@code Paths}, {@code RuntimeDirectory}. No byte of a work request passes through this package, and it
 * knows no queue.
 */
@NullMarked
package io.urma4j.shm.control;

import org.jspecify.annotations.NullMarked;

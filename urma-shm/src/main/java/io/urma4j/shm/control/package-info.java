/**
 * The Unix socket beside the shared memory: who the peers are, what they may map, and how it is taken back.
 *
 * <p>Read {@link io.urma4j.shm.control.ControlPlane} first. No byte of a work request passes through this package.
 */
@NullMarked
package io.urma4j.shm.control;

import org.jspecify.annotations.NullMarked;

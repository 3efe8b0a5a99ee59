/**
 * What lies in shared memory or is handed between threads, to the byte: start with {@link RingLayout}, then
 * {@link RingSender} and {@link RingReceiver}; {@link CompletionRing} is the third ring, inside the process.
 *
 * <p>Nothing here knows a queue, a peer or a state: no type of {@code io.urma4j.shm} may enter.
 */
@NullMarked
package io.urma4j.shm.ring;

import org.jspecify.annotations.NullMarked;

/**
 * The layouts of shared memory and of rings between threads, to the byte. Start with {@link RingLayout}, then
 * {@link RingSender} and {@link RingReceiver}; {@link CompletionRing} is the third ring, inside the process.
 *
 * <p>This package does not know queues, peers or states: it must not use a type of {@code io.urma4j.shm}.
 */
@NullMarked
package io.urma4j.shm.ring;

import org.jspecify.annotations.NullMarked;

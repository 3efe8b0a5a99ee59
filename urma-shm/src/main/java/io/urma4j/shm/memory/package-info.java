/**
 * Memory that processes share: memfds, their mappings, and the fence that revokes them.
 *
 * <p>Read {@link io.urma4j.shm.memory.ShmMemory}, then {@link io.urma4j.shm.memory.ImportedMapping}. Nothing here knows
 * a peer, a socket or a queue.
 */
@NullMarked
package io.urma4j.shm.memory;

import org.jspecify.annotations.NullMarked;

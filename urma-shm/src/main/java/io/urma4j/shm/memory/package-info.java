/**
 * Memory shared between processes: memfds, their mappings, and the fence that revokes them.
 *
 * <p>Read {@link io.urma4j.shm.memory.ShmMemory}, then {@link io.urma4j.shm.memory.ImportedMapping}. This package does not
 * know peers, sockets or queues.
 */
@NullMarked
package io.urma4j.shm.memory;

import org.jspecify.annotations.NullMarked;

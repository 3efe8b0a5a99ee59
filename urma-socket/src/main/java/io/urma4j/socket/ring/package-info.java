/**
 * One connection's bytes over shared memory: two rings, one for each direction, and a TCP connection that wakes the end
 * that sleeps. Knows nothing of names, selectors or how the two ends found each other.
 */
@NullMarked
package io.urma4j.socket.ring;

import org.jspecify.annotations.NullMarked;

/**
 * One connection's bytes over rings, which both processes map or a network device keeps alike: one for each direction, and a
 * TCP connection that wakes the end that sleeps. Knows nothing of names, selectors or how the two ends found each other.
 */
@NullMarked
package io.urma4j.socket.ring;

import org.jspecify.annotations.NullMarked;

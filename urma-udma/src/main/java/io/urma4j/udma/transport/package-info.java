/**
 * The transport: RoCEv2's packet protocol. Its state machines receive packets, work queue elements and the time, and return
 * packets, results and the next deadline. This package has no socket, no thread and no clock, and no type of the API, so all
 * of it also runs under a virtual clock and a hostile network.
 *
 * <p>No class here is thread-safe: the card's owner calls it, one thread at a time.
 */
@NullMarked
package io.urma4j.udma.transport;

import org.jspecify.annotations.NullMarked;

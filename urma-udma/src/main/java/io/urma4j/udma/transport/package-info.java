/**
 * The transport: what RoCEv2 says about packets, and nothing else. State machines are handed packets, work queue elements
 * and the time, and hand back packets, results and the next deadline. There is no socket, no thread and no clock in here,
 * and no type of the API: all of it runs under a virtual clock and a hostile network as well.
 *
 * <p>Nothing here is safe for several threads: the card's owner calls it, one thread at a time.
 */
@NullMarked
package io.urma4j.udma.transport;

import org.jspecify.annotations.NullMarked;

/**
 * How two processes of one host find that a TCP connection can use rings: names of listeners, one greeting for each pair of
 * processes, the memory that they share, and an offer for each connection.
 */
@NullMarked
package io.urma4j.socket.peering;

import org.jspecify.annotations.NullMarked;

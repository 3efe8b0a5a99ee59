/**
 * A {@link java.nio.channels.spi.SelectorProvider} for unmodified programs. Each channel and selector that it opens wraps
 * one of the JDK, so that a connection can move its bytes through shared memory without the program's knowledge.
 * {@link io.urma4j.socket.UrmaSockets} puts such channels behind {@link java.net.Socket}.
 */
@NullMarked
package io.urma4j.socket;

import org.jspecify.annotations.NullMarked;

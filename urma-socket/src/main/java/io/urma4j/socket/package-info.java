/**
 * A {@link java.nio.channels.spi.SelectorProvider} for unmodified programs. Each channel and selector that it opens wraps
 * one of the JDK, so that a connection can move its bytes through shared memory without the program's knowledge.
 */
@NullMarked
package io.urma4j.socket;

import org.jspecify.annotations.NullMarked;

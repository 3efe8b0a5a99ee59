/**
 * What contexts tell each other beside the data: greeting, import, revocation, paths, names, goodbye. One versioned
 * protocol, which each provider carries over whatever it has; here are its messages and their bytes, no socket and no
 * thread.
 *
 * <p>Read {@link io.urma4j.spi.control.ControlMessage}, then {@link io.urma4j.spi.control.ControlCodec}.
 */
package io.urma4j.spi.control;

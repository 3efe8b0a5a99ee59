/** {@code urma ping}: {@link io.urma4j.tools.ping.PingCommand} sends, {@link io.urma4j.tools.ping.RoundTrips} counts. */
@NullMarked
package io.urma4j.tools.ping;

import org.jspecify.annotations.NullMarked;

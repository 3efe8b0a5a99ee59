/** Echo requests to the network device of another process: {@link io.urma4j.udma.ping.Pinger}. */
@NullMarked
package io.urma4j.udma.ping;

import org.jspecify.annotations.NullMarked;

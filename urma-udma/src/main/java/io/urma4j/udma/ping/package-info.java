/** Whether anybody has a network device open somewhere, and how far that is: {@link io.urma4j.udma.ping.Pinger}. */
@NullMarked
package io.urma4j.udma.ping;

import org.jspecify.annotations.NullMarked;

/**
 * The load of the block store, with its report: {@code Load} starts a server and clients as processes and kills them; {@code
 * LoadClient} is such a client, which knows from its {@code Journal} what a read may return.
 */
@NullMarked
package io.urma4j.examples.blockstore.load;

import org.jspecify.annotations.NullMarked;

/** What providers share: states, ids, clocks and counters. */
@NullMarked
package io.urma4j.spi.support;

import org.jspecify.annotations.NullMarked;

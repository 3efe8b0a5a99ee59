/** The peers, one file each: how to get it, what it can do, how to ask it. */
@NullMarked
package io.urma4j.bench.compare.peer;

import org.jspecify.annotations.NullMarked;

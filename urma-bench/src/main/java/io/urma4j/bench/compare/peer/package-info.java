/** The peers, one file each: installation, abilities, and how to run it. */
@NullMarked
package io.urma4j.bench.compare.peer;

import org.jspecify.annotations.NullMarked;

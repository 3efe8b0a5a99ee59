/** Microbenchmarks of the hot path, beside the plain Java operation that each is measured against. */
@NullMarked
package io.urma4j.bench;

import org.jspecify.annotations.NullMarked;

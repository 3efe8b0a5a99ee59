/** The libc calls that we need, each bound once, with errno turned into words. */
@NullMarked
package io.urma4j.libc;

import org.jspecify.annotations.NullMarked;

/** The control plane that every provider shares: checks, references, the order of closing. */
@NullMarked
package io.urma4j.internal;

import org.jspecify.annotations.NullMarked;

/** Our end of conversations with Linux that no command plays: see {@code etc/interop}. */
@NullMarked
package io.urma4j.tools.interop;

import org.jspecify.annotations.NullMarked;

/** What a provider implements, and nothing else. */
@NullMarked
package io.urma4j.spi;

import org.jspecify.annotations.NullMarked;

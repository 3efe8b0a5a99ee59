/** Small programs to copy from; they use only the public API. */
@NullMarked
package io.urma4j.examples;

import org.jspecify.annotations.NullMarked;

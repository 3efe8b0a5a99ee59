/** Small programs that people copy; they use the public API alone. */
@NullMarked
package io.urma4j.examples;

import org.jspecify.annotations.NullMarked;

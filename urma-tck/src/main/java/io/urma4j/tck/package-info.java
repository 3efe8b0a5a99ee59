/** What every provider must do, as abstract tests that a provider's module subclasses. */
@NullMarked
package io.urma4j.tck;

import org.jspecify.annotations.NullMarked;

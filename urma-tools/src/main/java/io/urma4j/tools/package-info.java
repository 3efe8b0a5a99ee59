/** The urma command: look, try, measure. */
@NullMarked
package io.urma4j.tools;

import org.jspecify.annotations.NullMarked;

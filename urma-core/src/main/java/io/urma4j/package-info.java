/** The public API: handles, records and statuses. */
@NullMarked
package io.urma4j;

import org.jspecify.annotations.NullMarked;

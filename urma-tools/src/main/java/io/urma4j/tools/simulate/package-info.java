/** {@code urma simulate}: cards under a hostile network, seed by seed. */
@NullMarked
package io.urma4j.tools.simulate;

import org.jspecify.annotations.NullMarked;

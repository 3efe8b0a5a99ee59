/** {@code urma decode}: what is in a capture of RoCEv2. */
@NullMarked
package io.urma4j.tools.decode;

import org.jspecify.annotations.NullMarked;

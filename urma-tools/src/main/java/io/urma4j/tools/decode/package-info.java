/** {@code urma decode}: prints a capture of RoCEv2. */
@NullMarked
package io.urma4j.tools.decode;

import org.jspecify.annotations.NullMarked;

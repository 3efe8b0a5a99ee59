/** The control plane's own: argument checks, references, the order of closing. Not exported. */
package io.urma4j.internal;

/** Internals of the control plane: argument checks, references, the order of closing. Not exported. */
package io.urma4j.internal;

/**
 * {@code urma doctor}: what this machine offers, what is chosen because of it, and what would be faster.
 *
 * <p>{@link io.urma4j.tools.doctor.DoctorCommand} asks each {@link io.urma4j.tools.doctor.Examination} and prints its
 * {@link io.urma4j.tools.doctor.Finding}s. An examination leaves nothing behind and changes nothing.
 */
@NullMarked
package io.urma4j.tools.doctor;

import org.jspecify.annotations.NullMarked;

/**
 * {@code urma doctor}: the capabilities of this machine, the resulting choices, and possible improvements.
 *
 * <p>{@link io.urma4j.tools.doctor.DoctorCommand} runs each {@link io.urma4j.tools.doctor.Examination} and prints its
 * {@link io.urma4j.tools.doctor.Finding}s. An examination changes nothing and leaves no files.
 */
@NullMarked
package io.urma4j.tools.doctor;

import org.jspecify.annotations.NullMarked;

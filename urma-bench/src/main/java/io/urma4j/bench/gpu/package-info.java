/**
 * Tests and measurements of memory of an NVIDIA GPU, which also run where there is nothing but a driver: {@code
 * urma-bench/gpu --pack} makes an archive of them.
 *
 * <p>{@link io.urma4j.bench.gpu.Gpu} is the program, and {@link io.urma4j.bench.gpu.Part} names its parts, each in a class of
 * its own. A part gets a {@link io.urma4j.bench.gpu.PartRun} and tells its results to its {@link
 * io.urma4j.bench.gpu.Report}; without a device it throws {@link io.urma4j.bench.gpu.SkippedException}. Only classes of this
 * package, of {@link io.urma4j.bench}, and those that urma-bench's pom.xml names for {@code gpu.jar} are in the archive.
 */
@NullMarked
package io.urma4j.bench.gpu;

import org.jspecify.annotations.NullMarked;

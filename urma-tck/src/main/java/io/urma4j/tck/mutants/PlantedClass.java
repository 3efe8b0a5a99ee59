package io.urma4j.tck.mutants;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The class that has a planted bug. */
final class PlantedClass {
    private PlantedClass() {}

    /** Compiles only the changed file, against the classes without the bug; fails if it does not compile. */
    static void compile(PlantedBug bug, Path classes) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        PlantedBug.Planted planted = bug.planted();
        String fileName = planted.file().getFileName().toString();
        var unit = new SimpleJavaFileObject(URI.create("string:///" + fileName), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return planted.source();
            }
        };
        var complaints = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            List<String> options = List.of(
                    "-nowarn",
                    "-proc:none",
                    "-implicit:none",
                    "-cp",
                    System.getProperty("java.class.path"),
                    "-d",
                    classes.toString());
            boolean compiled = compiler.getTask(complaints, files, null, options, null, List.of(unit))
                    .call();
            assertThat(compiled).as("%s compiles: %s", bug, complaints).isTrue();
        }
    }
}

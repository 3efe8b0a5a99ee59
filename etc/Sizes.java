import com.sun.source.tree.AssertTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.ImportTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * Counts what {@code etc/sizes} prints. Sources are parsed, and not resolved: a type is named where its simple name stands,
 * unless an import or a nested type of the same name hides it.
 */
final class Sizes {
    private static final List<String> MEASURED = List.of("urma-core", "urma-shm", "urma-udma");
    private static final int LONG_LINES = 450;
    private static final int MANY_FIELDS = 15;
    private static final int LARGE_CYCLE = 12;

    /** Types of the first package that name types of the second one. */
    private record Wall(String from, String to) {}

    private static final List<Wall> WALLS = List.of(
            new Wall("io.urma4j.udma.driver", "io.urma4j.udma.device"),
            new Wall("io.urma4j.udma.driver", "io.urma4j.udma.transport"),
            new Wall("io.urma4j.udma.driver", "io.urma4j.udma.wire"),
            new Wall("io.urma4j.udma.driver", "io.urma4j.udma.ring"),
            new Wall("io.urma4j.udma.device", "io.urma4j.udma.driver"),
            new Wall("io.urma4j.udma.transport", "io.urma4j.udma.device"),
            new Wall("io.urma4j.shm.control", "io.urma4j.shm"));

    /** One source file of the main sources. */
    private record Source(String module, Path path, int lines, CompilationUnitTree tree) {
        String packageName() {
            return tree.getPackage() == null ? "" : tree.getPackage().getPackageName().toString();
        }

        String name() {
            return path.getFileName().toString().replace(".java", "");
        }

        boolean isType() {
            return !name().endsWith("-info");
        }
    }

    /** A class and its instance fields. */
    private record Fields(String module, String type, int mutable, int all) {}

    /** The types of a package, and the largest set of them of which each reaches each other. */
    private record Cycle(String packageName, int types, Set<String> members) {}

    private final Path root;
    private final List<Pattern> worst;
    private final List<Source> sources = new ArrayList<>();

    private Sizes(Path self, Path root) throws IOException {
        this.root = root;
        this.worst = worstPatterns(self.resolve("urma-core/src/test/java/io/urma4j/PlainEnglishTest.java"));
        for (Path module : modules()) {
            parse(module);
        }
    }

    public static void main(String[] args) throws IOException {
        Path self = Path.of(args[0]).toAbsolutePath().normalize();
        new Sizes(self, Path.of(args[1]).toAbsolutePath().normalize()).print();
    }

    // ---- reading

    private List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(root)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve("src/main/java")))
                    .sorted()
                    .toList();
        }
    }

    private void parse(Path module) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(module.resolve("src/main/java"))) {
            files = all.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        }
        int next = 0;
        for (CompilationUnitTree tree : trees(files)) {
            Path file = files.get(next++);
            sources.add(new Source(
                    module.getFileName().toString(), file, Files.readAllLines(file).size(), tree));
        }
    }

    private static Iterable<? extends CompilationUnitTree> trees(List<Path> files) throws IOException {
        if (files.isEmpty()) {
            return List.of();
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(null, null, null);
        var task = (JavacTask) compiler.getTask(
                null, manager, null, List.of("-proc:none"), null, manager.getJavaFileObjectsFromPaths(files));
        return task.parse();
    }

    /** The patterns that the test of prose looks for: one place has them. */
    private static List<Pattern> worstPatterns(Path test) throws IOException {
        List<Pattern> found = new ArrayList<>();
        for (CompilationUnitTree tree : trees(List.of(test))) {
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitVariable(VariableTree variable, Void unused) {
                    return variable.getName().contentEquals("PATTERNS") ? super.visitVariable(variable, null) : null;
                }

                @Override
                public Void visitMethodInvocation(MethodInvocationTree call, Void unused) {
                    if (call.getMethodSelect().toString().equals("Pattern.compile")
                            && call.getArguments().getFirst() instanceof LiteralTree literal) {
                        found.add(Pattern.compile((String) literal.getValue()));
                    }
                    return super.visitMethodInvocation(call, null);
                }
            }.scan(tree, null);
        }
        return found;
    }

    // ---- printing

    private void print() throws IOException {
        lines();
        longClasses();
        manyFields();
        cycles();
        walls();
        asserts();
        words();
    }

    private void lines() {
        System.out.println("## Main sources\n\n| module | files | lines |\n|---|--:|--:|");
        Map<String, List<Source>> byModule =
                sources.stream().collect(Collectors.groupingBy(Source::module, TreeMap::new, Collectors.toList()));
        byModule.forEach((module, files) -> row(module, files.size(), sum(files, Source::lines)));
        List<Source> measured = sources.stream().filter(Sizes::isMeasured).toList();
        row("core, shm, udma", measured.size(), sum(measured, Source::lines));
        List<Source> lean = measured.stream()
                .filter(source -> !source.packageName().startsWith("io.urma4j.udma.simulation"))
                .toList();
        row("the same without the simulator", lean.size(), sum(lean, Source::lines));
    }

    private void longClasses() {
        List<Source> found = sources.stream()
                .filter(source -> source.lines > LONG_LINES)
                .sorted(Comparator.comparing((Source source) -> -source.lines))
                .toList();
        section("Files above " + LONG_LINES + " lines", found, Source::module);
        found.stream()
                .filter(Sizes::isMeasured)
                .forEach(source -> item(source.lines + " " + source.module + " " + source.name()));
    }

    private void manyFields() {
        List<Fields> found = new ArrayList<>();
        for (Source source : sources) {
            new TreeScanner<Void, String>() {
                @Override
                public Void visitClass(ClassTree type, String outer) {
                    String name = outer + type.getSimpleName();
                    found.add(fieldsOf(source.module, name, type));
                    return super.visitClass(type, name + ".");
                }
            }.scan(source.tree, "");
        }
        found.removeIf(one -> one.mutable <= MANY_FIELDS);
        found.sort(Comparator.comparing((Fields one) -> -one.mutable).thenComparing(Fields::type));
        section("Classes with more than " + MANY_FIELDS + " mutable instance fields", found, Fields::module);
        found.stream()
                .filter(one -> MEASURED.contains(one.module))
                .forEach(one -> item(one.mutable + " of " + one.all + " " + one.module + " " + one.type));
    }

    private static Fields fieldsOf(String module, String name, ClassTree type) {
        int all = 0;
        int mutable = 0;
        boolean isPlain = type.getKind() == Tree.Kind.CLASS || type.getKind() == Tree.Kind.ENUM;
        for (Tree member : type.getMembers()) {
            if (isPlain && member instanceof VariableTree field) {
                Set<Modifier> flags = field.getModifiers().getFlags();
                all += flags.contains(Modifier.STATIC) ? 0 : 1;
                mutable += flags.contains(Modifier.STATIC) || flags.contains(Modifier.FINAL) ? 0 : 1;
            }
        }
        return new Fields(module, name, mutable, all);
    }

    private void cycles() {
        System.out.println("\n## Largest cycle of types in each package\n\n| package | types | cycle |\n|---|--:|--:|");
        List<Cycle> found = sources.stream()
                .filter(source -> isMeasured(source) && source.isType())
                .collect(Collectors.groupingBy(Source::packageName))
                .entrySet()
                .stream()
                .map(entry -> cycle(entry.getKey(), entry.getValue()))
                .filter(cycle -> cycle.members.size() > 1)
                .sorted(Comparator.comparing((Cycle cycle) -> -cycle.members.size()))
                .toList();
        found.forEach(cycle -> row(cycle.packageName, cycle.types, cycle.members.size()));
        System.out.println();
        found.stream()
                .filter(cycle -> cycle.members.size() > LARGE_CYCLE)
                .forEach(cycle -> item(cycle.packageName + ": " + String.join(", ", cycle.members)));
    }

    private static Cycle cycle(String packageName, List<Source> types) {
        Set<String> names = types.stream().map(Source::name).collect(Collectors.toCollection(TreeSet::new));
        Map<String, Set<String>> uses = new TreeMap<>();
        types.forEach(source -> uses.put(source.name(), uses(source, names)));
        return new Cycle(packageName, names.size(), new Components(uses).largest());
    }

    /** The types of its own package that a source names. */
    private static Set<String> uses(Source source, Set<String> names) {
        Set<String> hidden = new HashSet<>(Set.of(source.name()));
        for (ImportTree one : source.tree.getImports()) {
            String name = one.getQualifiedIdentifier().toString();
            if (!one.isStatic()) {
                hidden.add(name.substring(name.lastIndexOf('.') + 1));
            }
        }
        Set<String> used = new TreeSet<>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitImport(ImportTree one, Void unused) {
                return null;
            }

            @Override
            public Void visitClass(ClassTree type, Void unused) {
                hidden.add(type.getSimpleName().toString());
                return super.visitClass(type, null);
            }

            @Override
            public Void visitIdentifier(IdentifierTree identifier, Void unused) {
                used.add(identifier.getName().toString());
                return null;
            }
        }.scan(source.tree, null);
        used.retainAll(names);
        used.removeAll(hidden);
        return used;
    }

    private void walls() {
        System.out.println("\n## Imports across walls\n\n| from | to | imports | types |\n|---|---|--:|--:|");
        for (Wall wall : WALLS) {
            List<String> crossing = sources.stream()
                    .filter(source -> source.packageName().equals(wall.from))
                    .flatMap(source -> imported(source, wall.to).stream())
                    .toList();
            row(wall.from + " | " + wall.to, crossing.size(), new HashSet<>(crossing).size());
        }
    }

    /** The types of a package that a source imports, or names in full; each once. */
    private static Set<String> imported(Source source, String packageName) {
        Pattern type = Pattern.compile(Pattern.quote(packageName) + "\\.([A-Z]\\w*).*");
        Set<String> found = new TreeSet<>();
        new TreeScanner<Void, Void>() {
            @Override
            public Void visitMemberSelect(MemberSelectTree select, Void unused) {
                var match = type.matcher(select.toString());
                if (match.matches()) {
                    found.add(match.group(1));
                }
                return super.visitMemberSelect(select, null);
            }
        }.scan(source.tree, null);
        return found;
    }

    private void asserts() {
        Map<String, Integer> counts = new TreeMap<>();
        MEASURED.forEach(module -> counts.put(module, 0));
        for (Source source : sources) {
            new TreeScanner<Void, Void>() {
                @Override
                public Void visitAssert(AssertTree one, Void unused) {
                    counts.merge(source.module, 1, Integer::sum);
                    return super.visitAssert(one, null);
                }
            }.scan(source.tree, null);
        }
        System.out.println("\n## Asserts in main sources\n\n| module | asserts |\n|---|--:|");
        MEASURED.forEach(module -> row(module, counts.get(module)));
    }

    private void words() throws IOException {
        int pages = worstLines(name -> name.endsWith(".md"));
        int code = worstLines(name -> name.endsWith(".java"));
        int scripts = worstLines(name -> name.endsWith(".sh"));
        System.out.println("\n## Lines with one of the worst patterns of prose\n\n| of | lines |\n|---|--:|");
        row("pages, but for docs/notes", pages);
        row("Java", code);
        row("scripts", scripts);
        row("all", pages + code + scripts);
    }

    private int worstLines(Predicate<String> wanted) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.filter(file -> wanted.test(file.toString()))
                    .filter(file -> isProse(root.relativize(file).toString()))
                    .mapToInt(this::worstLines)
                    .sum();
        }
    }

    private static boolean isProse(String name) {
        return !name.matches("(.*/)?(target|\\.git|\\.mvn)/.*|docs/notes/.*|.*/PlainEnglishTest\\.java");
    }

    private int worstLines(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.mapToInt(line -> (int) worst.stream()
                            .filter(pattern -> pattern.matcher(line).find())
                            .count())
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }

    // ---- helpers

    private static boolean isMeasured(Source source) {
        return MEASURED.contains(source.module);
    }

    private static <T> void section(String title, List<T> found, Function<T, String> module) {
        System.out.println("\n## " + title + "\n\n| module | count |\n|---|--:|");
        for (String one : MEASURED) {
            row(one, (int) found.stream().filter(it -> module.apply(it).equals(one)).count());
        }
        row("others", (int)
                found.stream().filter(it -> !MEASURED.contains(module.apply(it))).count());
        System.out.println();
    }

    private static int sum(List<Source> of, ToIntFunction<Source> what) {
        return of.stream().mapToInt(what).sum();
    }

    private static void row(String name, int... counts) {
        StringBuilder row = new StringBuilder("| ").append(name);
        for (int count : counts) {
            row.append(" | ").append(count);
        }
        System.out.println(row.append(" |"));
    }

    private static void item(String text) {
        System.out.println("- " + text);
    }

    /** Strongly connected sets of a graph, after Tarjan. */
    private static final class Components {
        private final Map<String, Set<String>> uses;
        private final Map<String, Integer> index = new HashMap<>();
        private final Map<String, Integer> low = new HashMap<>();
        private final Deque<String> open = new ArrayDeque<>();
        private Set<String> largest = Set.of();

        Components(Map<String, Set<String>> uses) {
            this.uses = uses;
            for (String type : uses.keySet()) {
                if (!index.containsKey(type)) {
                    visit(type);
                }
            }
        }

        Set<String> largest() {
            return largest;
        }

        private void visit(String type) {
            index.put(type, index.size());
            low.put(type, index.get(type));
            open.push(type);
            for (String used : uses.get(type)) {
                if (!index.containsKey(used)) {
                    visit(used);
                    low.merge(type, low.get(used), Math::min);
                } else if (open.contains(used)) {
                    low.merge(type, index.get(used), Math::min);
                }
            }
            if (low.get(type).equals(index.get(type))) {
                close(type);
            }
        }

        private void close(String first) {
            Set<String> members = new TreeSet<>();
            String type;
            do {
                type = open.pop();
                members.add(type);
            } while (!type.equals(first));
            largest = members.size() > largest.size() ? members : largest;
        }
    }
}

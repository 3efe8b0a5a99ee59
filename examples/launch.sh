# Runs an example in processes: sourced by its `run`, which sets root. Builds first where the sources are newer.
# shellcheck shell=sh disable=SC2154

. "$root/etc/find-jdk.sh"

# launch CLASS [ARGUMENT…]
launch() {
  find_jdk run
  target=$root/examples/target
  classes=$target/classes
  jar=$root/urma-tools/target/urma.jar
  built=$target/.built

  if stale; then
    echo 'run: building, since the sources are newer than the program' >&2
    mkdir -p "$target"
    : >"$target/.began"
    "$root/build" -B -ntp -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
      -Dmaven.test.skip=true -Dspotless.check.skip=true -pl examples,urma-tools -am package \
      </dev/null >&2 || { echo 'run: the build failed, see above' >&2; exit 1; }
    mv "$target/.began" "$built" # what was edited meanwhile is newer
  fi

  # No perf data: a killed run shall leave no file in /tmp.
  exec "$JAVA_HOME/bin/java" -XX:-UsePerfData -Xmx64m --enable-native-access=ALL-UNNAMED -cp "$jar:$classes" "$@"
}

stale() {
  [ ! -f "$built" ] || [ ! -f "$jar" ] || [ ! -d "$classes" ] ||
    [ -n "$(find "$root"/pom.xml "$root"/urma-*/pom.xml "$root"/urma-*/src/main "$root"/examples/pom.xml \
      "$root"/examples/src/main -newer "$built" | head -n 1)" ]
}

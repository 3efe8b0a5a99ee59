# Builds bench.jar where the sources are newer, and runs one of its programs. Sourced by the scripts beside it, which
# have followed the links to themselves (self); POSIX sh.
#
# launch NAME CLASS ARGUMENT...          as NAME, the main class CLASS
# build_stale NAME JAR OPTION...         sets root and JAVA_HOME; if JAR of urma-bench/target is older than the sources,
#                                        builds with these options of Maven

build_stale() {
  root=$(CDPATH='' cd -- "$(dirname -- "$self")/.." && pwd -P)
  . "$root/etc/find-jdk.sh"

  name=$1
  target=$root/urma-bench/target
  jar=$target/$2
  shift 2
  find_jdk "$name"

  if [ ! -f "$jar" ] || [ -n "$(find "$root"/pom.xml "$root"/urma-*/pom.xml "$root"/urma-*/src/main "$root"/examples/src/main "$root"/urma-cuda/src/test -newer "$jar" | head -n 1)" ]; then
    echo "$name: building, since the sources are newer than the program" >&2
    mkdir -p "$target"
    : >"$target/.began"
    rm -f "$jar"
    "$root/build" -B -ntp -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
      -Dmaven.test.skip=true -Dspotless.check.skip=true "$@" -pl urma-bench -am package \
      </dev/null >&2 || { echo "$name: the build failed, see above" >&2; exit 1; }
    touch -r "$target/.began" "$jar" # what was edited meanwhile is newer
  fi
}

launch() {
  class=$2
  program=$1
  shift 2
  build_stale "$program" bench.jar

  # No perf data: a killed run shall leave no file in /tmp. The heap is small and has one size: nothing is allocated.
  # shellcheck disable=SC2086
  exec "$JAVA_HOME/bin/java" -XX:-UsePerfData -Xms256m -Xmx256m --enable-native-access=ALL-UNNAMED ${URMA_JAVA_OPTS-} \
    -Durma.root="$root" -cp "$jar" "$class" "$@"
}

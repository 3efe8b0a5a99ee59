#!/bin/sh
# Tests ./build, ./urma and urma-bench/gpu with scripts in place of JDKs, Maven and its wrapper: sh etc/test-build-scripts.sh
# Runs them with every installed shell, because /bin/sh differs between systems.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 129' HUP INT TERM

passed=0
failed=0

# jdk FOLDER VERSION [no-release|no-javac]: a java that tells its version, its arguments and its input
jdk() {
  mkdir -p "$1/bin"
  cat >"$1/bin/java" <<END
#!/bin/sh
if [ "\$*" = -version ]; then echo 'openjdk version "$2" 2025-01-01' >&2; exit 0; fi
for arg; do case \$arg in -XX:AOTCacheOutput=*) echo cache >"\${arg#*=}"; exit 0 ;; esac; done
while [ "\$1" != -jar ]; do shift; done
shift 2
echo "java $2"
for arg; do echo "[\$arg]"; done
cat
exit 5
END
  cp "$1/bin/java" "$1/bin/javac"
  chmod +x "$1/bin/java" "$1/bin/javac"
  printf 'IMPLEMENTOR="X"\nJAVA_VERSION="%s"\nOS_NAME="Linux"' "$2" >"$1/release"
  case ${3-} in
    no-release) rm "$1/release" ;;
    no-javac) rm "$1/bin/javac" ;;
  esac
}

# A tree whose wrapper prints its JDK and its arguments, "builds" the jar, and exits with 7 if the test asks for that.
tree() {
  mkdir -p "$1/etc" "$1/.mvn/wrapper" "$1/urma-tools/src/main" "$1/urma-tools/target" "$1/docs"
  cp "$root/build" "$root/urma" "$1"
  cp "$root/etc/find-jdk.sh" "$1/etc"
  cp "$root/.mvn/wrapper/maven-wrapper.properties" "$1/.mvn/wrapper"
  touch "$1/pom.xml" "$1/docs/semantics.md" "$1/urma-tools/pom.xml"
  cat >"$1/mvnw" <<'END'
#!/bin/sh
echo "in $(basename "$PWD") JDK $(basename "$JAVA_HOME")"
for arg; do echo "[$arg]"; done
case "$*" in
  *fail*) exit 7 ;;
  *package*) echo jar >urma-tools/target/urma.jar ;;
esac
END
  chmod +x "$1/mvnw"
}

# A tree and a JDK for urma-bench/gpu: its build makes empty jars, its jlink a java that prints its arguments.
gpu_tree() {
  tree "$1"
  mkdir -p "$1/urma-bench" "$1/urma-cuda/src/test" "$1/examples/src/main"
  cp "$root/urma-bench/gpu" "$root/urma-bench/launch.sh" "$1/urma-bench"
  touch "$1/LICENSE" "$1/NOTICE" "$1/urma-bench/pom.xml"
  cat >"$1/mvnw" <<'END'
#!/bin/sh
echo "[$*]"
for folder in bench tools cuda; do mkdir -p "urma-$folder/target"; done
for jar in bench/target/gpu tools/target/urma tools/target/urma-tck cuda/target/urma-cuda-1-tests; do : >"urma-$jar.jar"; done
END
  chmod +x "$1/mvnw"
}
gpu_jdk() {
  jdk "$1" 25.0.3
  printf '#!/bin/sh\nfor arg; do echo "[$arg]"; done\nexit 6\n' >"$1/bin/java"
  printf '#!/bin/sh\necho java.base,java.sql\n' >"$1/bin/jdeps"
  cat >"$1/bin/jlink" <<'END'
#!/bin/sh
while [ $# -gt 1 ]; do
  case $1 in --add-modules) modules=$2 ;; --output) output=$2 ;; esac
  shift
done
mkdir -p "$output/bin"
echo "$modules" >"$output/modules"
cp "$(dirname "$0")/java" "$output/bin/java"
END
  chmod +x "$1/bin/java" "$1/bin/jdeps" "$1/bin/jlink"
}

# run COMMAND...: in an empty environment; fills out, err and code
run() {
  code=0
  env -i PATH="$path" HOME="$work/home" "$@" >"$work/out" 2>"$work/err" <"$work/in" || code=$?
  out=$(cat "$work/out")
  err=$(cat "$work/err")
}

# expect NAME CODE OUT ERR: the exit code, and what stdout and stderr hold
expect() {
  problem=
  [ "$code" = "$2" ] || problem="exit code $code, not $2"
  case $out in *"$3"*) ;; *) problem="$problem; stdout lacks '$3'" ;; esac
  case $err in *"$4"*) ;; *) problem="$problem; stderr lacks '$4'" ;; esac
  if [ -z "$problem" ]; then
    passed=$((passed + 1))
    return
  fi
  failed=$((failed + 1))
  printf 'FAILED in %s: %s: %s\n--- stdout\n%s\n--- stderr\n%s\n---\n' "$shell" "$1" "$problem" "$out" "$err"
}

jdk "$work/old/jdk-17" 17.0.15
jdk "$work/old/jdk-8" 1.8.0_402
jdk "$work/old/jdk-9" 9
jdk "$work/old/jre-25" 25.0.1 no-javac
mkdir -p "$work/old/empty"
jdk "$work/new/jdk-25" 25.0.3
jdk "$work/early/jdk 26" 26-ea
jdk "$work/hundred/jdk-100" 100.0.1
jdk "$work/mac/jdk-25.jdk/Contents/Home" 25.0.3
gpu_jdk "$work/gpu/jdk-25"
jdk "$work/asked/jdk-25x" 25.0.3 no-release
jdk "$work/asked-old/jdk-21x" 21.0.1 no-release

mkdir -p "$work/home/.m2/wrapper/dists" "$work/bin" "$work/elsewhere"
for tool in basename cat chmod cp dirname env find flock gzip head mkdir mv readlink rm sed tar touch uname wc; do
  where=$(command -v "$tool") || continue
  ln -s "$where" "$work/bin/$tool"
done
maven=$(sed -n 's,^distributionUrl=.*/\(apache-maven-[0-9.]*\)-bin.*,\1,p' "$root/.mvn/wrapper/maven-wrapper.properties")
: >"$work/in"

for shell in sh dash bash ksh; do
  sh=$(command -v "$shell") || continue
  rm -f "$work/bin/sh"
  ln -s "$sh" "$work/bin/sh"
  path=$work/bin
  mine="$work/tree of $shell"
  tree "$mine"
  mkdir -p "$work/home/.m2/wrapper/dists/$maven/1/bin"
  ln -sf "$work/bin/cat" "$work/home/.m2/wrapper/dists/$maven/1/bin/mvn"

  # which JDK
  run JAVA_HOME="$work/old/jdk-17" URMA_JDK_FOLDERS="$work/old" sh "$mine/build" verify
  expect 'only old JDKs: says so and what to install' 2 '' 'build: no JDK 25 or later found; there is only'
  expect 'only old JDKs: names JDK 17' 2 '' "$work/old/jdk-17 (17.0.15)"
  expect 'only old JDKs: names JDK 8' 2 '' 'jdk-8 (1.8.0_402)'
  expect 'only old JDKs: a JRE has no compiler' 2 '' 'jre-25 (25.0.1 without a compiler)'
  run URMA_JDK_FOLDERS="$work/elsewhere" sh "$mine/build" verify
  expect 'no JDK at all' 2 '' 'no JDK 25 or later found.'
  run URMA_JAVA_HOME="$work/old/jdk-17" URMA_JDK_FOLDERS="$work/new" sh "$mine/build" verify
  expect 'a wrong URMA_JAVA_HOME is an error' 2 '' "URMA_JAVA_HOME is $work/old/jdk-17, and that is no JDK 25 or later but 17.0.15"
  run URMA_JAVA_HOME="$work/new/jdk-25" JAVA_HOME="$work/hundred/jdk-100" sh "$mine/build" verify
  expect 'URMA_JAVA_HOME comes before JAVA_HOME' 0 'JDK jdk-25' ''
  run JAVA_HOME="$work/old/jdk-17" URMA_JDK_FOLDERS="$work/old:$work/new" sh "$mine/build" verify
  expect 'an old JAVA_HOME is passed over' 0 'JDK jdk-25' ''
  run JAVA_HOME="$work/nowhere" URMA_JDK_FOLDERS="$work/nowhere:$work/early" sh "$mine/build" verify
  expect 'an early-access JDK in a folder with a blank' 0 'JDK jdk 26' ''
  run JAVA_HOME="$work/hundred/jdk-100" sh "$mine/build" verify
  expect 'versions are numbers' 0 'JDK jdk-100' ''
  run URMA_JDK_FOLDERS="$work/mac" sh "$mine/build" verify
  expect 'a JDK as macOS lays it out' 0 'JDK Home' ''
  run URMA_JDK_FOLDERS="$work/asked-old:$work/asked" sh "$mine/build" verify
  expect 'without the file release, java is asked' 0 'JDK jdk-25x' ''
  path=$work/bin:$work/links
  mkdir -p "$work/links"
  ln -sf "$work/new/jdk-25/bin/java" "$work/links/java"
  run JAVA_HOME="$work/old/jdk-17" URMA_JDK_FOLDERS="$work/elsewhere" sh "$mine/build" verify
  expect 'the java of the PATH, through a link' 0 'JDK jdk-25' ''
  path=$work/bin

  # how Maven is run
  run JAVA_HOME="$work/new/jdk-25" sh "$mine/build" -pl 'a b' fail
  expect 'arguments stay whole, the exit code is kept' 7 '[a b]' ''
  ln -sf "$mine/build" "$work/elsewhere/build-$shell"
  run JAVA_HOME="$work/new/jdk-25" sh -c "cd '$work/elsewhere' && sh ./build-$shell verify"
  expect 'through a link, from elsewhere' 0 "in tree of $shell" ''

  # when the wrapper cannot load Maven
  rm -r "${work:?}/home/.m2/wrapper/dists/$maven"
  printf '#!/bin/sh\necho "curl: Failed to fetch" >&2\nexit 1\n' >"$mine/mvnw"
  ln -sf "$work/bin/cat" "$work/bin/unzip"
  run JAVA_HOME="$work/new/jdk-25" sh "$mine/build" verify
  expect 'no wrapper, no mvn' 2 '' "cannot load $maven: curl: Failed to fetch"
  printf '#!/bin/sh\necho "mvn of the system: $*"\nexit 3\n' >"$work/bin/mvn"
  chmod +x "$work/bin/mvn"
  run JAVA_HOME="$work/new/jdk-25" sh "$mine/build" verify
  expect 'no wrapper: the installed mvn, and says so' 3 'mvn of the system: verify' 'going on with the installed'
  rm "$work/bin/unzip"
  run JAVA_HOME="$work/new/jdk-25" sh "$mine/build" verify
  expect 'no unzip' 3 '' 'it needs unzip, which is not installed'
  rm "$work/bin/mvn"
  tree "$mine"
  mkdir -p "$work/home/.m2/wrapper/dists/$maven/1/bin"
  ln -sf "$work/bin/cat" "$work/home/.m2/wrapper/dists/$maven/1/bin/mvn"

  # the command
  printf 'a line\n' >"$work/in"
  run JAVA_HOME="$work/new/jdk-25" sh "$mine/urma" fetch - 'a b'
  expect 'urma builds when there is no jar; input, arguments and exit code pass' 5 'java 25.0.3
[fetch]
[-]
[a b]
a line' 'urma: first build'
  run JAVA_HOME="$work/new/jdk-25" sh "$mine/urma" devices
  expect 'urma does not build again' 5 '[devices]' ''
  [ -z "$err" ] || expect 'urma is quiet when all is there' 5 '' 'nothing at all'
  touch -t 203001010000 "$mine/urma-tools/src/main"
  run JAVA_HOME="$work/new/jdk-25" sh "$mine/urma" devices
  expect 'urma builds when a source is newer' 5 '[devices]' 'urma: building'
  printf '#!/bin/sh\necho broken\nexit 1\n' >"$mine/mvnw"
  run JAVA_HOME="$work/new/jdk-25" sh "$mine/urma" devices
  expect 'a failed build ends the command' 1 '' 'urma: the build failed'
  expect 'what Maven prints is on stderr' 1 '' 'broken'
  [ -z "$out" ] || expect 'a failed build leaves stdout empty' 1 'nothing at all' ''
  ln -sf "$mine/urma" "$work/elsewhere/urma-$shell"
  run JAVA_HOME="$work/old/jdk-17" URMA_JDK_FOLDERS="$work/old" sh "$work/elsewhere/urma-$shell"
  expect 'urma without a JDK, through a link' 2 '' 'urma: no JDK 25 or later found'

  # the archive for machines with a GPU
  mine="$work/gpu tree of $shell"
  gpu_tree "$mine"
  gpu="$mine/urma-bench/gpu"
  unpacked="$work/unpacked by $shell"
  mkdir -p "$unpacked"
  run JAVA_HOME="$work/gpu/jdk-25" sh "$gpu" --pack
  expect 'gpu --pack without a file' 2 '' 'gpu: --pack needs a FILE'
  run JAVA_HOME="$work/gpu/jdk-25" sh "$gpu" --pack "$unpacked"
  expect 'gpu --pack to a folder' 2 '' "gpu: --pack '$unpacked' is a folder"
  run JAVA_HOME="$work/gpu/jdk-25" sh "$gpu" --pack "$work/nowhere/gpu.tar.gz"
  expect 'gpu --pack to no folder' 2 '' "no file can be made in '$work/nowhere'"
  run JAVA_HOME="$work/gpu/jdk-25" sh "$gpu" --part copy --pack x
  expect 'gpu --pack with a part' 2 '' 'gpu: --pack takes one FILE, and goes alone'
  [ ! -e "$mine/urma-bench/target" ] || expect 'wrong uses build nothing' 2 '' 'nothing at all'
  if [ "$(uname -s) $(uname -m)" = 'Linux x86_64' ]; then
    run JAVA_HOME="$work/gpu/jdk-25" sh "$gpu" --pack "$unpacked/gpu.tar.gz"
    expect 'gpu packs, and prints the size' 0 "gpu: packed $unpacked/gpu.tar.gz, " '-Pcontract'
    tar -xzf "$unpacked/gpu.tar.gz" -C "$unpacked"
    for file in gpu LICENSE NOTICE jre/bin/java lib/gpu.jar lib/urma.jar lib/urma-tck.jar lib/cuda-tests.jar; do
      [ -e "$unpacked/$file" ] || expect "the archive lacks $file" 0 'nothing at all' ''
    done
    [ "$(cat "$unpacked/jre/modules")" = java.base,java.sql,jdk.unsupported ] || expect 'modules of the image' 0 'nothing at all' ''
    run sh "$unpacked/gpu" --part copy --out 'a b'
    expect 'an unpacked gpu runs without a JDK; arguments and exit code pass' 6 "[-Durma.bench.jars=$unpacked/lib]" ''
    expect 'an unpacked gpu: the arguments' 6 '[io.urma4j.bench.gpu.Gpu]
[--part]
[copy]
[--out]
[a b]' ''
    run sh "$unpacked/gpu" --pack x
    expect 'an unpacked gpu does not pack' 2 '' '--pack needs a source tree, and this is an archive'
  fi
  run JAVA_HOME="$work/gpu/jdk-25" sh "$gpu" --help
  expect 'gpu in a tree runs with its JDK' 6 "[-Durma.bench.jars=$mine/urma-bench/target/gpu/lib]" ''
  run JAVA_HOME="$work/gpu/jdk-25" sh "$gpu" --help
  [ -z "$err" ] || expect 'gpu does not build again' 6 '' 'nothing at all'
  : >"$work/in"
  printf '%s: done\n' "$shell"
done

printf 'build scripts: %s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]

#!/bin/sh
# Makes the API reference of all published modules, their exported packages alone, as one site: target/javadoc/index.html.
# Needs JSpecify in the local Maven repository, where every build puts it. A warning is a failure.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd -P)
. "$root/etc/find-jdk.sh"
find_jdk javadoc
cd "$root"

jspecify=$(sed -n 's,.*<jspecify.version>\(.*\)</jspecify.version>.*,\1,p' pom.xml)
jspecify=${MAVEN_USER_HOME:-$HOME/.m2}/repository/org/jspecify/jspecify/$jspecify/jspecify-$jspecify.jar
if [ ! -f "$jspecify" ]; then
  printf 'javadoc: %s is missing: run ./build compile first\n' "$jspecify" >&2
  exit 2
fi
rm -rf target/javadoc
"$JAVA_HOME/bin/javadoc" -quiet -Werror -Xdoclint:all,-missing -notimestamp -encoding UTF-8 \
  -windowtitle urma4j -doctitle urma4j -d target/javadoc --module-path "$jspecify" \
  --module-source-path io.urma4j=urma4j/src/main/java \
  --module-source-path io.urma4j.core=urma-core/src/main/java \
  --module-source-path io.urma4j.libc=urma-native/src/main/java \
  --module-source-path io.urma4j.shm=urma-shm/src/main/java \
  --module-source-path io.urma4j.udma=urma-udma/src/main/java \
  --module-source-path io.urma4j.npu=urma-npu/src/main/java \
  --module-source-path io.urma4j.cuda=urma-cuda/src/main/java \
  --module-source-path io.urma4j.socket=urma-socket/src/main/java \
  --module io.urma4j,io.urma4j.core,io.urma4j.libc,io.urma4j.shm,io.urma4j.udma,io.urma4j.npu,io.urma4j.cuda,io.urma4j.socket
echo "$root/target/javadoc/index.html"

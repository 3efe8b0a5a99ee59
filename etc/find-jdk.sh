# Finds a JDK that can build and run urma4j. Sourced by ./build and ./urma; POSIX sh.
#
# find_jdk NAME   sets and exports JAVA_HOME; or prints, as NAME, what to install, and exits with 2.
#
# Search order: URMA_JAVA_HOME (set explicitly, so a wrong one is an error), JAVA_HOME, the java of the PATH,
# then the folders where systems and version managers put JDKs. The first JDK that fits is used.
# URMA_JDK_FOLDERS, a list with colons, replaces these folders; each holds one JDK per subfolder.

jdk_wanted=25

find_jdk() {
  jdk_seen=
  if [ -n "${URMA_JAVA_HOME-}" ]; then
    jdk_fits "$URMA_JAVA_HOME" && return 0
    printf '%s: URMA_JAVA_HOME is %s, and that is no JDK %s or later%s\n' \
      "$1" "$URMA_JAVA_HOME" "$jdk_wanted" "${jdk_version:+ but $jdk_version}" >&2
    exit 2
  fi
  if [ -n "${JAVA_HOME-}" ] && jdk_fits "$JAVA_HOME"; then return 0; fi
  jdk_of_path && return 0
  jdk_of_folders && return 0
  jdk_explain "$1" >&2
  exit 2
}

# Takes the JDK in a folder, if it is one and new enough. No fork in the usual case: ./urma waits for this.
jdk_fits() {
  jdk_version_of "$1" || { [ -d "$1/Contents/Home" ] && set -- "$1/Contents/Home" && jdk_version_of "$1"; } || return 1
  if [ ! -x "$1/bin/javac" ]; then
    jdk_version="$jdk_version without a compiler"
  elif [ "${jdk_version%%[!0-9]*}" -ge "$jdk_wanted" ] 2>/dev/null; then
    JAVA_HOME=$1
    export JAVA_HOME
    return 0
  fi
  case "$jdk_seen" in
    *"  $1 ("*) ;; # JAVA_HOME, the PATH and a folder often name the same one
    *) jdk_seen="$jdk_seen  $1 ($jdk_version)
" ;;
  esac
  return 1
}

# Sets jdk_version, as in 25.0.3, 26-ea or 1.8.0_402: from the file `release`, or else by asking java.
jdk_version_of() {
  jdk_version=
  [ -f "$1/bin/java" ] && [ -x "$1/bin/java" ] || return 1
  if [ -r "$1/release" ]; then
    while IFS='=' read -r jdk_key jdk_value || [ -n "$jdk_key" ]; do
      [ "$jdk_key" = JAVA_VERSION ] || continue
      jdk_version=${jdk_value#\"}
      jdk_version=${jdk_version%%\"*}
    done <"$1/release"
  fi
  [ -n "$jdk_version" ] ||
    jdk_version=$("$1/bin/java" -version 2>&1 | sed -n '/ version "/{s/.* version "\([^"]*\)".*/\1/p;q;}')
  [ -n "$jdk_version" ]
}

jdk_of_path() {
  jdk_java=$(command -v java) || return 1
  jdk_link=$(readlink -f "$jdk_java" 2>/dev/null) || jdk_link=$jdk_java
  jdk_home=${jdk_link%/bin/java}
  if [ ! -x "$jdk_home/bin/javac" ]; then
    # a version manager's shim; but the java of macOS is a stub that would open a window
    [ "$jdk_java" != /usr/bin/java ] || return 1
    jdk_home=$("$jdk_java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.home = //p')
  fi
  [ -n "$jdk_home" ] && jdk_fits "$jdk_home"
}

jdk_of_folders() {
  if [ -n "${URMA_JDK_FOLDERS-}" ]; then
    jdk_rest=$URMA_JDK_FOLDERS:
    while [ -n "$jdk_rest" ]; do
      jdk_folder=${jdk_rest%%:*}
      jdk_rest=${jdk_rest#*:}
      jdk_first_of "$jdk_folder"/* && return 0
    done
    return 1
  fi
  # Linux and its packages
  jdk_first_of /usr/lib/jvm/* /usr/lib64/jvm/* /usr/java/* /usr/local/*jdk* /usr/local/java/* \
    /opt/*jdk* /opt/*jdk*/* /opt/java/* /opt/jvm/* /snap/openjdk/current/jdk && return 0
  # macOS, which can be asked, and Homebrew
  if [ -x /usr/libexec/java_home ]; then
    jdk_home=$(/usr/libexec/java_home -F -v "$jdk_wanted+" 2>/dev/null) && jdk_fits "$jdk_home" && return 0
  fi
  jdk_first_of /Library/Java/JavaVirtualMachines/* "${HOME-}"/Library/Java/JavaVirtualMachines/* \
    /opt/homebrew/opt/openjdk*/libexec/openjdk.jdk /usr/local/opt/openjdk*/libexec/openjdk.jdk \
    /home/linuxbrew/.linuxbrew/opt/openjdk*/libexec && return 0
  # version managers and IDEs
  jdk_first_of "${SDKMAN_DIR:-${HOME-}/.sdkman}"/candidates/java/* \
    "${MISE_DATA_DIR:-${XDG_DATA_HOME:-${HOME-}/.local/share}/mise}"/installs/java/* \
    "${ASDF_DATA_DIR:-${HOME-}/.asdf}"/installs/java/* \
    "${HOME-}"/.jenv/versions/* "${HOME-}"/.jabba/jdk/* "${HOME-}"/.jdks/* "${HOME-}"/.gradle/jdks/*
}

jdk_first_of() {
  for jdk_candidate; do
    jdk_fits "$jdk_candidate" && return 0
  done
  return 1
}

jdk_explain() {
  printf '%s: no JDK %s or later found' "$1" "$jdk_wanted"
  if [ -n "$jdk_seen" ]; then
    printf '; there is only\n%s' "$jdk_seen"
  else
    printf '.\n'
  fi
  cat <<END
Looked at URMA_JAVA_HOME, JAVA_HOME, the PATH, and the usual folders of this system, SDKMAN, mise and asdf.
Install one, for example:
  Debian, Ubuntu   apt install openjdk-25-jdk-headless
  Fedora, RHEL     dnf install java-25-openjdk-devel
  macOS            brew install --cask temurin@25
  SDKMAN, mise     sdk install java 25.0.3-tem   or   mise use -g java@temurin-25
  any              https://adoptium.net/temurin/releases/?version=25
or set URMA_JAVA_HOME to the folder of one that you have.
END
}

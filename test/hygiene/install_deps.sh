#!/usr/bin/env bash
# scripts/install_deps.sh: the demo gets no server, browser or test tool; who may not install gets a list with reasons;
# and installing neither starts nor enables a service, whatever a package does. On a PATH where nothing is installed.
. "$(dirname "$0")/../lib.sh"
mkdir -p "$TMP"/{bin,scripts,sbin}
cp "$ROOT/scripts/install_deps.sh" "$TMP/scripts/"
for tool in bash sh dirname cat cut tr sed expand find sort comm cmp tee chmod rm ln mkdir; do
  ln -s "$(command -v $tool)" "$TMP/bin/$tool"
done
program() { cat >"$TMP/bin/$1" && chmod +x "$TMP/bin/$1"; }
program id <<<'#!/bin/sh
echo 1000'
deps() { PATH=$TMP/bin CXX=nothing "$TMP/scripts/install_deps.sh" "$@" >"$TMP/out" 2>&1 && echo 0 || echo $?; }

want_equal "without a class" 2 "$(deps)"
want_equal "the demo, where nothing builds" 1 "$(deps demo)"
grep -qE '^  libzstd-dev +compresses' "$TMP/out" || fail "the list does not say what libzstd-dev is for: $(cat "$TMP/out")"
grep -q '^install_deps: as root: apt-get install .*libzstd-dev' "$TMP/out" || fail "it does not say what to do: $(cat "$TMP/out")"
for package in libgtest-dev jq prometheus slurmctld chromium qemu-user; do
  if grep -q -- "$package" "$TMP/out"; then fail "the demo asks for $package"; fi
done
want_equal "the tests, where nothing builds" 1 "$(deps test)"
for package in libgtest-dev jq prometheus slurmctld chromium qemu-user; do
  grep -qE -- "^  $package +[a-z]" "$TMP/out" || fail "the tests do not list $package and what it is for"
done

[ "$(id -u)" = 0 ] || skip "installing is root's"
unshare --mount true 2>/dev/null || skip "mount namespaces are not permitted here"
program id <<<'#!/bin/sh
echo 0'
program apt-cache <<<'#!/bin/sh
echo known'
program apt-get <<'END'
#!/bin/sh
case "$*" in *" install "*) ;; *) exit 0 ;; esac
echo "$*" >>$LOG
/usr/sbin/policy-rc.d sample start || echo "start refused: $?" >>$LOG
ln -s /lib/systemd/system/sample.service /etc/systemd/system/multi-user.target.wants/sample.service
END
cat >"$TMP/inside" <<'END'
mount -t tmpfs tmpfs /etc/systemd && mount --bind "$TMP/sbin" /usr/sbin
PATH=$TMP/bin
mkdir -p /etc/systemd/system/multi-user.target.wants
ln -s /lib/systemd/system/mine.service /etc/systemd/system/multi-user.target.wants/mine.service
CXX=nothing "$TMP/scripts/install_deps.sh" test >"$TMP/out" 2>&1
find /etc/systemd/system /usr/sbin ! -type d >"$TMP/left"
END
LOG=$TMP/log unshare --mount bash "$TMP/inside"
grep -q -- '--no-install-recommends .*slurmctld' "$TMP/log" || fail "it did not install: $(cat "$TMP/out")"
grep -q '^start refused: 101' "$TMP/log" || fail "a service could start: $(cat "$TMP/log")"
want_equal "what is left enabled" /etc/systemd/system/multi-user.target.wants/mine.service "$(cat "$TMP/left")"

# shellcheck shell=bash disable=SC2034
# Sourced: real sshds on this machine stand for other hosts, with keys of their own under $TMP/ssh, and `ssh` on the PATH
# knows them by name, SLOW_LOGIN_S later. Skips the test where there is no sshd or ssh.
need ssh openssh-client
sshd=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd) || skip "no sshd (package openssh-server)"
# sshd wants this folder for itself when root starts it.
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd
mkdir -m 700 "$TMP/ssh" "$TMP/bin"
ssh-keygen -q -t ed25519 -N '' -f "$TMP/ssh/host"
ssh-keygen -q -t ed25519 -N '' -f "$TMP/ssh/user"
cp "$TMP/ssh/user.pub" "$TMP/ssh/authorized"
printf '#!/bin/sh\nsleep "${SLOW_LOGIN_S:-0}"\nexec %s -F %s "$@"\n' "$(command -v ssh)" "$TMP/ssh/config" >"$TMP/bin/ssh"
chmod +x "$TMP/bin/ssh"
PATH=$TMP/bin:$PATH
cat >"$TMP/ssh/config" <<SSH
IdentityFile $TMP/ssh/user
IdentitiesOnly yes
BatchMode yes
StrictHostKeyChecking no
UserKnownHostsFile $TMP/ssh/known
LogLevel ERROR
SSH

# add_host NAME PORT: ssh knows it; $TMP/ssh/NAME is the configuration of its sshd
add_host() {
  printf 'Host %s\n  HostName 127.0.0.1\n  Port %s\n' "$1" "$2" >>"$TMP/ssh/config"
  cat >"$TMP/ssh/$1" <<SSHD
Port $2
ListenAddress 127.0.0.1
HostKey $TMP/ssh/host
AuthorizedKeysFile $TMP/ssh/authorized
PidFile none
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
SSHD
}

#!/usr/bin/env bash
# Every command has a page in docs/commands with the help text that it prints now, and the check can fail.
. "$(dirname "$0")/../lib.sh"
[ -x "$BUILD/lockstep" ] || skip "lockstep is not built"

# Stands for the program, and asks it only once for each help text.
mkdir "$TMP/help"
cat >"$TMP/lockstep" <<END
#!/usr/bin/env bash
text="$TMP/help/\$*"
[ -e "\$text" ] || "$BUILD/lockstep" "\$@" >"\$text"
cat "\$text"
END
chmod +x "$TMP/lockstep"
export LOCKSTEP=$TMP/lockstep
"$ROOT/scripts/command_pages.sh" --check || fail "a page of docs/commands is not up to date"

# The same on a copy, with one mistake each.
mkdir "$TMP/docs" "$TMP/scripts"
cp "$ROOT/scripts/command_pages.sh" "$TMP/scripts/"
checks() { "$TMP/scripts/command_pages.sh" --check 2>"$TMP/log" && echo 0 || echo $?; }
fresh_copy() { rm -rf "$TMP/docs/commands" && cp -r "$ROOT/docs/commands" "$TMP/docs/"; }

fresh_copy
want_equal "an unchanged copy" 0 "$(checks)"
sed -i 's/^Usage: lockstep verify .*/Usage: lockstep verify EVERYTHING/' "$TMP/docs/commands/verify.md"
want_equal "an old help text" 1 "$(checks)"
grep -q 'verify.md differs' "$TMP/log" || fail "the page is not named: $(cat "$TMP/log")"
"$TMP/scripts/command_pages.sh" || fail "an old help text cannot be refreshed"
want_equal "a refreshed page" 0 "$(checks)"
fresh_copy
rm "$TMP/docs/commands/count.md"
want_equal "a command without a page" 1 "$(checks)"
fresh_copy
cp "$TMP/docs/commands/count.md" "$TMP/docs/commands/counting.md"
want_equal "a page without a command" 1 "$(checks)"
fresh_copy
sed -i '/count.md/d' "$TMP/docs/commands/README.md"
want_equal "a page that the index lacks" 1 "$(checks)"

#!/bin/sh
# Creates a data folder for Postgres as of a moment, from the newest copy before it and the WAL since then.
#
#   deploy/backup/restore-to-time.sh /var/backups/berth '2026-11-22 14:05:00+00' /var/lib/postgresql/18/restored
#
# `latest` restores all available WAL. Run it as the Postgres user, with the server's version, then start
# Postgres on that folder: it replays the WAL up to the moment and becomes an independent server. It has the
# settings of the copy except archive_mode, which is off: if it replaces the old server, turn that on again
# with a new folder. Then: an empty Redis, and start the processes (docs/backups.md).
set -eu
folder=$(cd "${1:?"Usage: $0 FOLDER TIME DATA"}" && pwd)
time=${2:?"Usage: $0 FOLDER TIME DATA"}
data=${3:?"Usage: $0 FOLDER TIME DATA"}
if [ -e "$data" ]; then
  echo "$data is there already. Nothing was restored." >&2
  exit 1
fi
moment=$([ "$time" = latest ] && echo 9 || date -u -d "$time" +%Y%m%dT%H%M%SZ)
copy=
for each in "$folder"/base-*; do
  name=${each##*/base-}
  if [ "$(printf '%s\n%s\n' "$name" "$moment" | sort | head -n 1)" = "$name" ]; then copy=$each; fi
done
if [ -z "$copy" ]; then
  echo "No copy in $folder is from before $time. Nothing was restored." >&2
  exit 1
fi
umask 077
cp -a "$copy" "$data.new"
{
  echo "restore_command = 'cp \"$folder/wal/%f\" \"%p\"'"
  echo "recovery_target_timeline = 'latest'"
  if [ "$time" != latest ]; then echo "recovery_target_time = '$time'"; fi
  echo "recovery_target_action = 'promote'"
  # Otherwise a copy that runs next to its original would mix its WAL with the original's.
  echo "archive_mode = off"
} >>"$data.new/postgresql.auto.conf"
touch "$data.new/recovery.signal"
mv "$data.new" "$data"
echo "$data is ready: ${copy##*/} and the WAL up to $time."

#!/bin/sh
# Stores a finished WAL segment, as Postgres's archive_command. In postgresql.conf:
#
#   archive_mode = on
#   archive_timeout = 60s    # the most that is ever lost with the server
#   archive_command = '/opt/berth/deploy/backup/archive-wal.sh "%p" "%f" /var/backups/berth'
#
# The folder should be on another machine or volume. Postgres keeps a segment and retries until this succeeds.
set -eu
piece=$1
name=$2
wal=${3:?"Usage: $0 PIECE NAME FOLDER"}/wal
umask 077
mkdir -p "$wal"
if [ -f "$wal/$name" ]; then
  # Stored before without Postgres knowing. If it differs, it is another server's: never overwrite it.
  cmp -s "$piece" "$wal/$name"
  exit
fi
cp "$piece" "$wal/.$name.new"
sync "$wal/.$name.new"
mv "$wal/.$name.new" "$wal/$name"
sync "$wal"

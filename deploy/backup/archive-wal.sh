#!/bin/sh
# Keeps a finished piece of WAL, as Postgres asks for it. In postgresql.conf:
#
#   archive_mode = on
#   archive_timeout = 60s    # no more than so much is ever lost with the server
#   archive_command = '/opt/berth/deploy/backup/archive-wal.sh "%p" "%f" /var/backups/berth'
#
# The folder belongs on another machine or volume. Postgres keeps a piece and asks again until this succeeds.
set -eu
piece=$1
name=$2
wal=${3:?"Usage: $0 PIECE NAME FOLDER"}/wal
umask 077
mkdir -p "$wal"
if [ -f "$wal/$name" ]; then
  # It was kept before, and Postgres had not heard of it. One that differs is another server's: never overwrite it.
  cmp -s "$piece" "$wal/$name"
  exit
fi
cp "$piece" "$wal/.$name.new"
sync "$wal/.$name.new"
mv "$wal/.$name.new" "$wal/$name"
sync "$wal"

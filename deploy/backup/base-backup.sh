#!/bin/sh
# Copies a whole running Postgres next to the WAL from archive-wal.sh; keeps the newest KEEP (2) copies and
# the WAL since the oldest of them.
#
#   DATABASE_URL=postgres://replicator@db/postgres deploy/backup/base-backup.sh /var/backups/berth
#
# The role needs REPLICATION, and a line in pg_hba.conf. Daily or weekly: more often makes restores faster.
set -eu
folder=${1:?"Usage: DATABASE_URL=… $0 FOLDER"}
umask 077
mkdir -p "$folder/wal"
draft="$folder/draft-$$"
trap 'rm -rf "$draft"' EXIT
pg_basebackup --dbname="$DATABASE_URL" --pgdata="$draft" --format=plain --wal-method=stream --checkpoint=fast
pg_verifybackup --quiet "$draft"
# Named after the time of its end: any later moment can be restored from it.
sleep 1
copy="$folder/base-$(date -u +%Y%m%dT%H%M%SZ)"
mv "$draft" "$copy"

ls -d "$folder"/base-* | sort -r | tail -n "+$((${KEEP:-2} + 1))" | while read -r old; do rm -rf "$old"; done
oldest=$(ls -d "$folder"/base-* | sort | head -n 1)
pg_archivecleanup "$folder/wal" "$(sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\))$/\1/p' "$oldest/backup_label")"
echo "$copy"

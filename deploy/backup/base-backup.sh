#!/bin/sh
# Copies a running Postgres, whole, beside the WAL that archive-wal.sh keeps; leaves the newest KEEP (2) copies and the WAL
# from the oldest of them on.
#
#   DATABASE_URL=postgres://replicator@db/postgres deploy/backup/base-backup.sh /var/backups/berth
#
# The role needs REPLICATION, and pg_hba.conf a line for it. Once a day or a week: the less often, the longer a restore takes.
set -eu
folder=${1:?"Usage: DATABASE_URL=… $0 FOLDER"}
umask 077
mkdir -p "$folder/wal"
draft="$folder/draft-$$"
trap 'rm -rf "$draft"' EXIT
pg_basebackup --dbname="$DATABASE_URL" --pgdata="$draft" --format=plain --wal-method=stream --checkpoint=fast
pg_verifybackup --quiet "$draft"
# By the time of its end: any later moment can be restored from it.
sleep 1
copy="$folder/base-$(date -u +%Y%m%dT%H%M%SZ)"
mv "$draft" "$copy"

ls -d "$folder"/base-* | sort -r | tail -n "+$((${KEEP:-2} + 1))" | while read -r old; do rm -rf "$old"; done
oldest=$(ls -d "$folder"/base-* | sort | head -n 1)
pg_archivecleanup "$folder/wal" "$(sed -n 's/^START WAL LOCATION: .*(file \([0-9A-F]*\))$/\1/p' "$oldest/backup_label")"
echo "$copy"

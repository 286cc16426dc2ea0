#!/bin/sh
# Dumps a database into a folder, and removes dumps that are older than KEEP_DAYS (14).
#
#   DATABASE_URL=postgres://berth@db/berth deploy/backup/dump.sh /var/backups/berth
#
# The programs must be of the server's version or newer. Leave the password out of the address: everybody on this machine could
# see it there. It belongs in ~/.pgpass or PGPASSWORD.
set -eu
folder=${1:?"Usage: DATABASE_URL=… $0 FOLDER"}
umask 077
mkdir -p "$folder"
dump="$folder/berth-$(date -u +%Y%m%dT%H%M%SZ).dump"
# It gets its name when it is whole and can be read. Privileges are those of roles that another server may not have:
# `npm run grants` makes them again.
pg_dump --format=custom --no-owner --no-privileges --file="$dump.new" "$DATABASE_URL"
pg_restore --list "$dump.new" >/dev/null
sync "$dump.new"
mv "$dump.new" "$dump"
find "$folder" -name 'berth-*.dump' -mtime "+${KEEP_DAYS:-14}" -delete
echo "$dump"

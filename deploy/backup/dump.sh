#!/bin/sh
# Dumps a database into a folder, and removes dumps older than KEEP_DAYS (14).
#
#   DATABASE_URL=postgres://berth@db/berth deploy/backup/dump.sh /var/backups/berth
#
# The programs must be of the server's version or newer. Leave the password out of the address, where every
# user of this machine could see it: use ~/.pgpass or PGPASSWORD.
set -eu
folder=${1:?"Usage: DATABASE_URL=… $0 FOLDER"}
umask 077
mkdir -p "$folder"
dump="$folder/berth-$(date -u +%Y%m%dT%H%M%SZ).dump"
# Renamed once it is complete and readable. Privileges are left out, because another server may not have the
# roles: `npm run grants` restores them.
pg_dump --format=custom --no-owner --no-privileges --file="$dump.new" "$DATABASE_URL"
pg_restore --list "$dump.new" >/dev/null
sync "$dump.new"
mv "$dump.new" "$dump"
find "$folder" -name 'berth-*.dump' -mtime "+${KEEP_DAYS:-14}" -delete
echo "$dump"

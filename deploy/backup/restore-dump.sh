#!/bin/sh
# Restores a dump into an empty database: all of it or nothing.
#
#   DATABASE_URL=postgres://berth@db/berth deploy/backup/restore-dump.sh /var/backups/berth/berth-20261122T120000Z.dump
#
# Then: `npm run migrate`, `npm run grants` if the gateway has its own role, an empty Redis, and the processes.
set -eu
dump=${1:?"Usage: DATABASE_URL=… $0 DUMP"}
tables=$(psql "$DATABASE_URL" -AtXqc "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'")
if [ "$tables" -ne 0 ]; then
  echo "The database is not empty: it has $tables tables. Nothing was restored." >&2
  exit 1
fi
pg_restore --single-transaction --no-owner --no-privileges --dbname="$DATABASE_URL" "$dump"
# Not all tables: for Postgres's own tables it would print 48 times that this role may not.
psql "$DATABASE_URL" -Xq -v ON_ERROR_STOP=1 <<'SQL'
SELECT format('ANALYZE public.%I', tablename) FROM pg_tables WHERE schemaname = 'public' \gexec
SQL
echo "Restored $dump."

// Describes a database schema completely, from Postgres's own catalogue: two schemas are equal if their descriptions
// are equal.
import type { Knex } from 'knex'

export type Schema = Record<string, Array<Record<string, unknown>>>

// Covers all of the schema public, including the tables of the migrations.
const SCHEMA_QUERIES = {
  relations: `
    SELECT relname AS name, relkind AS kind, relpersistence AS persistence, relrowsecurity, reloptions AS options
    FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind <> 'c'`,
  columns: `
    SELECT attrelid::regclass::text AS relation, attname AS name,
      rank() OVER (PARTITION BY attrelid ORDER BY attnum) AS place,
      format_type(atttypid, atttypmod) AS type, attnotnull, attidentity, attgenerated, attstorage, attcollation,
      pg_get_expr(adbin, adrelid) AS value
    FROM pg_attribute
    JOIN pg_class ON pg_class.oid = attrelid
    LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v', 'm', 'p') AND attnum > 0 AND NOT attisdropped`,
  constraints: `
    SELECT conrelid::regclass::text AS relation, conname AS name, contype AS kind, convalidated, condeferrable,
      pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace`,
  indexes: `
    SELECT tablename AS relation, indexname AS name, indexdef AS definition, indisvalid
    FROM pg_indexes JOIN pg_index ON indexrelid = format('%I.%I', schemaname, indexname)::regclass
    WHERE schemaname = 'public'`,
  sequences: `
    SELECT sequencename AS name, data_type::text, start_value, min_value, max_value, increment_by, cycle, cache_size
    FROM pg_sequences WHERE schemaname = 'public'`,
  routines: `
    SELECT proname AS name, pg_get_functiondef(oid) AS definition
    FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace
      AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')`,
  triggers: `
    SELECT tgrelid::regclass::text AS relation, pg_get_triggerdef(oid) AS definition
    FROM pg_trigger WHERE NOT tgisinternal`,
  extensions: 'SELECT extname AS name FROM pg_extension',
}

export async function describeSchema(database: Knex): Promise<Schema> {
  const schema: Schema = {}
  for (const [subject, question] of Object.entries(SCHEMA_QUERIES)) {
    const { rows } = await database.raw<{ rows: Array<Record<string, unknown>> }>(question)
    schema[subject] = rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
  }
  return schema
}

/**
 * Returns the number of rows of each table that is not empty. Omits `setup_links`, to which each gateway adds a row soon after
 * its start.
 */
export async function countRows(database: Knex): Promise<Record<string, number>> {
  const { rows } = await database.raw<{ rows: Array<{ name: string; number: number }> }>(
    `SELECT name, number FROM (
       SELECT oid::regclass::text AS name,
         (xpath('//n/text()', query_to_xml(format('SELECT count(*) AS n FROM %s', oid::regclass), false, true, '')))[1]::text::int AS number
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'setup_links'
     ) AS counted WHERE number > 0 ORDER BY name`,
  )
  return Object.fromEntries(rows.map(({ name, number }) => [name, number]))
}

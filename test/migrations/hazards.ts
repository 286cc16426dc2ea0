// Finds statements of a migration that disturb processes of the previous release, because something is missing or
// locked. Needs no SQL parser, because we write the statements ourselves.

/** Tables with so many rows that reading or sorting all of them takes longer than anyone may wait for a lock. */
const LARGE_TABLES = [
  'audit_log',
  'bookings',
  'event_attendees',
  'events',
  'file_chunks',
  'idempotency_keys',
  'import_plan_rows',
  'receipts',
  'users',
]

type Rule = { hazard: string; pattern: RegExp }

// Statements that remove or rename something that the previous release uses, or refuse rows that it writes.
const REMOVING_STATEMENTS: Rule[] = [
  {
    hazard: 'drops',
    pattern: /\bDROP (TABLE|COLUMN|CONSTRAINT|INDEX|VIEW|FUNCTION|TYPE|SCHEMA|SEQUENCE|DEFAULT|IDENTITY)\b/,
  },
  { hazard: 'renames', pattern: /\bRENAME\b/ },
  { hazard: 'changes a type', pattern: /\bALTER (COLUMN )?\w+ (SET DATA )?TYPE\b/ },
  { hazard: 'empties', pattern: /\bTRUNCATE\b/ },
  { hazard: 'requires a value', pattern: /\bSET NOT NULL\b/ },
  { hazard: 'requires a value', pattern: /\bADD COLUMN (?!.*\b(DEFAULT|GENERATED)\b).*\bNOT NULL\b/ },
  { hazard: 'changes a default', pattern: /\bALTER (COLUMN )?\w+ SET DEFAULT\b/ },
]

// Statements that read or write all rows while other processes wait.
const BLOCKING_STATEMENTS: Rule[] = [
  {
    hazard: 'rewrites',
    pattern:
      /\bADD COLUMN .*\b(DEFAULT (\w+\.)?(gen_random_uuid|random|nextval|clock_timestamp|uuidv[47])|GENERATED|BIGSERIAL|SERIAL)\b/i,
  },
  {
    hazard: 'rewrites',
    pattern: /\b(CLUSTER|VACUUM FULL|SET LOGGED|SET UNLOGGED|SET ACCESS METHOD|SET TABLESPACE)\b/,
  },
  { hazard: 'locks', pattern: /^LOCK\b/ },
]

/** Returns a line for each hazard. Statements that only add to the schema have none. */
export function findHazards(sql: string): string[] {
  const statements = sql
    .replace(/--.*$/gm, '')
    .split(';')
    .map((statement) => statement.replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')
  const made = (pattern: RegExp) =>
    new Set(statements.flatMap((statement) => statement.match(pattern)?.[1] ?? []))
  const tables = made(/^CREATE TABLE (\w+)/)
  const indexes = made(/^CREATE (?:UNIQUE )?INDEX (?:CONCURRENTLY )?(\w+)/)
  const isReplaced = (statement: string) => {
    const [, names] = statement.match(/^DROP INDEX (?:CONCURRENTLY )?(?:IF EXISTS )?(.+)$/) ?? []
    return names?.split(', ').every((name) => indexes.has(name)) ?? false
  }
  const judged = statements.filter((statement) => !isReplaced(statement))
  return [...new Set(judged.flatMap((statement) => findStatementHazards(statement, tables)))]
}

function findStatementHazards(statement: string, created: Set<string>): string[] {
  const table = findTable(statement)
  if (table !== undefined && created.has(table)) return []
  const subject = table ?? statement.split(' ').slice(0, 3).join(' ').toLowerCase()
  // Splits the clauses, because the default of one column does not affect the next.
  const clauses = statement.split(/,(?=\s*(?:ADD|DROP|ALTER)\b)/)
  const found = [...REMOVING_STATEMENTS, ...BLOCKING_STATEMENTS].filter(({ pattern }) =>
    clauses.some((clause) => pattern.test(clause)),
  )
  return [
    ...found.map(({ hazard }) => hazard),
    ...clauses.flatMap(findAddedConstraints),
    ...findBlockingHazards(statement, table),
  ].map((hazard) => `${hazard}: ${subject}`)
}

function findTable(statement: string): string | undefined {
  const [, table] =
    statement.match(
      /^(?:CREATE (?:UNIQUE )?INDEX .*? ON|ALTER TABLE(?: ONLY| IF EXISTS)?|UPDATE|DELETE FROM|INSERT INTO|LOCK TABLE) (\w+)/,
    ) ?? []
  return table
}

// Finds constraints on an existing table. The previous release may violate them, and Postgres reads all rows under a
// lock unless NOT VALID postpones that.
function findAddedConstraints(clause: string): string[] {
  if (!/\bADD\b.*\b(CHECK|REFERENCES|UNIQUE|EXCLUDE|PRIMARY KEY)\b/.test(clause)) return []
  return /\b(NOT VALID|USING INDEX)\b/.test(clause) ? [] : ['adds a constraint']
}

function findBlockingHazards(statement: string, table: string | undefined): string[] {
  if (table === undefined || !LARGE_TABLES.includes(table)) return []
  if (/^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY\b)/.test(statement))
    return ['builds an index while nobody may write']
  if (/^(UPDATE|DELETE)\b/.test(statement)) return ['writes all rows']
  return []
}

/** Finds indexes that are built concurrently, and would stay invalid if the process died during the build. */
export function findUnrepeatableIndexes(sql: string): string[] {
  const dropped = [...sql.matchAll(/DROP INDEX CONCURRENTLY IF EXISTS (\w+)/g)].map(([, name]) => name)
  const built = [...sql.matchAll(/CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+)/g)].map(([, name = '']) => name)
  return built.filter((name) => !dropped.includes(name))
}

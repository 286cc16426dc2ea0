// Finds statements of a migration that disturb processes of the previous release: what they lose, and
// what makes them wait. No parser: the statements are ours.

/** Of which there are so many rows that reading or sorting them all takes longer than anybody may wait for a lock. */
const LARGE = [
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

// What the old release reads or writes is gone or called otherwise, or what it writes is refused.
const TAKES_AWAY: Rule[] = [
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

// All rows are read or written while others wait.
const HOLDS_UP: Rule[] = [
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

/** What would be noticed, a line each; nothing for what only adds. */
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
  return [...new Set(judged.flatMap((statement) => hazardsOf(statement, tables)))]
}

function hazardsOf(statement: string, created: Set<string>): string[] {
  const table = tableOf(statement)
  if (table !== undefined && created.has(table)) return []
  const subject = table ?? statement.split(' ').slice(0, 3).join(' ').toLowerCase()
  // One clause each: a default of one column says nothing of the next.
  const clauses = statement.split(/,(?=\s*(?:ADD|DROP|ALTER)\b)/)
  const found = [...TAKES_AWAY, ...HOLDS_UP].filter(({ pattern }) =>
    clauses.some((clause) => pattern.test(clause)),
  )
  return [
    ...found.map(({ hazard }) => hazard),
    ...clauses.flatMap(checksOf),
    ...waitsOf(statement, table),
  ].map((hazard) => `${hazard}: ${subject}`)
}

function tableOf(statement: string): string | undefined {
  const [, table] =
    statement.match(
      /^(?:CREATE (?:UNIQUE )?INDEX .*? ON|ALTER TABLE(?: ONLY| IF EXISTS)?|UPDATE|DELETE FROM|INSERT INTO|LOCK TABLE) (\w+)/,
    ) ?? []
  return table
}

// A constraint on a table that is there already: what the old release writes may break it, and all rows are read under a
// lock unless that is left for later (NOT VALID, then VALIDATE CONSTRAINT).
function checksOf(clause: string): string[] {
  if (!/\bADD\b.*\b(CHECK|REFERENCES|UNIQUE|EXCLUDE|PRIMARY KEY)\b/.test(clause)) return []
  return /\b(NOT VALID|USING INDEX)\b/.test(clause) ? [] : ['adds a constraint']
}

function waitsOf(statement: string, table: string | undefined): string[] {
  if (table === undefined || !LARGE.includes(table)) return []
  if (/^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY\b)/.test(statement))
    return ['builds an index while nobody may write']
  if (/^(UPDATE|DELETE)\b/.test(statement)) return ['writes all rows']
  return []
}

/** Indexes that are built beside writers, and would be left invalid by a process that dies meanwhile. */
export function findUnrepeatable(sql: string): string[] {
  const dropped = [...sql.matchAll(/DROP INDEX CONCURRENTLY IF EXISTS (\w+)/g)].map(([, name]) => name)
  const built = [...sql.matchAll(/CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+)/g)].map(([, name = '']) => name)
  return built.filter((name) => !dropped.includes(name))
}

// Describes a statement for a trace: its name, or what it does to which table. Never its text, which may
// contain values.
import type { Statement } from '../database/statements.ts'
import type { SpanOptions } from './tracing.ts'

const OPERATION = /^\s*(?:--.*\n\s*)*([a-z]+)/i
const TABLE = /\b(?:from|into|update|copy)\s+"?([a-z_]+)\b/i

export function describeStatement({ name, text, pool }: Statement): [string, SpanOptions] {
  const operation = OPERATION.exec(text)?.[1]?.toUpperCase() ?? 'SQL'
  const table = TABLE.exec(text)?.[1]
  const summary = table === undefined ? operation : `${operation} ${table}`
  const attributes = {
    'db.system.name': 'postgresql',
    'db.operation.name': operation,
    'db.query.summary': summary,
    'berth.pool': pool,
    ...(name === undefined ? {} : { 'berth.statement': name }),
  }
  return [name ?? summary, { kind: 'client', attributes }]
}

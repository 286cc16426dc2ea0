// What an entry of the audit log has changed, field by field; what only says that something has changed is left out.
import { type Html, html } from '../../http/html.ts'
import { type Names, tableOf } from './names.ts'
import { fieldsOf } from './paths.ts'
import type { AuditEntry } from './queries.ts'

const LEFT_OUT = new Set(['id', 'created_at', 'updated_at', 'password_hash'])
const LENGTH_MAX = 60

/** Undefined where nothing was, or where there is nothing to compare. */
export function showChanges(
  names: Names,
  { before, after }: Pick<AuditEntry, 'before' | 'after'>,
  without: string[] = [],
): Html | undefined {
  if (before === null || before === undefined || after === null || after === undefined) return undefined
  const [was, is] = [fieldsOf(before), fieldsOf(after)]
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (field) =>
      !LEFT_OUT.has(field) &&
      !without.includes(field) &&
      JSON.stringify(was[field]) !== JSON.stringify(is[field]),
  )
  if (fields.length === 0) return undefined
  const shown = fields.map((field, index) => {
    const [old, present] = [was[field], is[field]].map((value) => formatValue(names, field, value))
    const label = field.replace(/_id$/, '').replaceAll('_', ' ')
    return html`${index > 0 && '; '}${label} <del>${old}</del> → <ins>${present}</ins>`
  })
  return html`${shown}`
}

function formatValue(names: Names, field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  const known = names.find(tableOf(field) ?? '', value)
  if (known) return known.name
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return value.length === 0 ? 'none' : value.join(', ')
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text
}

// What an entry of the audit log has changed, field by field; what only says that something has changed is left out.
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import { type Html, html } from '../../http/html.ts'
import { formatInstant } from '../time/instants.ts'
import { formatBookableType } from '../ui/bookables.ts'
import { kindOf } from './names.ts'
import { fieldsOf } from './paths.ts'
import type { AuditEntry } from './queries.ts'
import { formatSpan, parseSpan, type Said } from './sentence-parts.ts'

const LEFT_OUT = new Set(['id', 'created_at', 'updated_at', 'revision', 'password_hash'])
const LENGTH_MAX = 60

const LABELS: Record<string, string> = {
  during: 'time',
  email: 'e-mail',
  upn: 'UPN',
  url: 'URL',
  timezone: 'time zone',
  integration_email: 'integration e-mail',
  booking_info: 'purpose',
  from_timezone: 'time zone of the start',
  to_timezone: 'time zone of the end',
  bookables: 'rooms',
}

/** Undefined where nothing was, or where there is nothing to compare. */
export function showChanges(
  said: Said,
  { before, after, resource }: Pick<AuditEntry, 'before' | 'after' | 'resource'>,
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
    const [old, present] = [was[field], is[field]].map((value) => formatValue(said, resource, field, value))
    return html`${index > 0 && '; '}${labelOf(field)} <del>${old}</del> → <ins>${present}</ins>`
  })
  return html`${shown}`
}

function labelOf(field: string): string {
  const own = Object.hasOwn(LABELS, field) ? LABELS[field] : undefined
  return own ?? field.replace(/_(id|at)$/, '').replaceAll('_', ' ')
}

const STATUSES: Record<number, string> = {
  [BOOKABLE_STATUSES.flexible]: 'flexible',
  [BOOKABLE_STATUSES.blocked]: 'blocked',
  [BOOKABLE_STATUSES.assigned]: 'assigned',
}

function formatValue(said: Said, resource: string, field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (resource === 'bookables' && typeof value === 'number') {
    if (field === 'type') return formatBookableType(value).toLowerCase()
    if (field === 'status') return STATUSES[value] ?? String(value)
  }
  const text = Array.isArray(value) ? formatEach(said, field, value) : formatOne(said, field, value)
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text
}

function formatEach(said: Said, field: string, values: unknown[]): string {
  if (values.length === 0) return 'none'
  if (values.some((each) => typeof each === 'object')) return JSON.stringify(values)
  return values.map((each) => formatOne(said, field, each)).join(', ')
}

function formatOne({ names, zone }: Said, field: string, value: unknown): string {
  const known = names.find(kindOf(field) ?? '', value)
  if (known) return known.name
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field.endsWith('_at') && !Number.isNaN(Date.parse(value)))
    return formatInstant(new Date(value).toISOString(), zone)
  return field === 'during' && parseSpan(value) ? formatSpan(value, zone) : value
}

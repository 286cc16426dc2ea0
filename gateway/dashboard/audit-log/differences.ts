// Shows what an entry of the audit log changed, field by field. Leaves out fields that only record that
// something changed.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../http/html.ts'
import { type Sentence, sentence, t, tHtml, translate } from '../locales/translate.ts'
import { formatInstant } from '../time/instants.ts'
import { formatField } from './field-labels.ts'
import { kindOf } from './names.ts'
import { fieldsOf } from './paths.ts'
import type { AuditEntry } from './queries.ts'
import { type AuditContext, formatSpan, parseSpan } from './things.ts'

const LEFT_OUT = new Set(['id', 'created_at', 'updated_at', 'revision', 'password_hash'])
const LENGTH_MAX = 60

/** Undefined if there was no earlier value, or nothing to compare. */
export function showChanges(
  context: AuditContext,
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
    const [old, present] = [was[field], is[field]].map((value) =>
      formatValue(context, resource, field, value),
    )
    const change = tHtml`${formatField(field)} ${html`<del>${old}</del>`} → ${html`<ins>${present}</ins>`}`
    return html`${index > 0 && '; '}${change}`
  })
  return html`${shown}`
}

const TYPES: Record<number, Sentence> = {
  [BOOKABLE_TYPES.desk]: sentence`desk`,
  [BOOKABLE_TYPES.parkingSpot]: sentence`parking spot`,
  [BOOKABLE_TYPES.meetingRoom]: sentence`meeting room`,
  [BOOKABLE_TYPES.homeOffice]: sentence`home office`,
}
const STATUSES: Record<number, Sentence> = {
  [BOOKABLE_STATUSES.flexible]: sentence`flexible`,
  [BOOKABLE_STATUSES.blocked]: sentence`blocked`,
  [BOOKABLE_STATUSES.assigned]: sentence`assigned`,
}
const WORDS: Record<string, Record<number, Sentence>> = { type: TYPES, status: STATUSES }

function formatValue(context: AuditContext, resource: string, field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return t`none`
  if (typeof value === 'boolean') return value ? t`yes` : t`no`
  const word = resource === 'bookables' && typeof value === 'number' && WORDS[field]?.[value]
  if (word) return translate(word)
  const text = Array.isArray(value) ? formatEach(context, field, value) : formatOne(context, field, value)
  return text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text
}

function formatEach(context: AuditContext, field: string, values: unknown[]): string {
  if (values.length === 0) return t`none`
  if (values.some((each) => typeof each === 'object')) return JSON.stringify(values)
  return values.map((each) => formatOne(context, field, each)).join(', ')
}

function formatOne({ names, zone }: AuditContext, field: string, value: unknown): string {
  const known = names.find(kindOf(field) ?? '', value)
  if (known) return known.name
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field.endsWith('_at') && !Number.isNaN(Date.parse(value)))
    return formatInstant(new Date(value).toISOString(), zone)
  return field === 'during' && parseSpan(value) ? formatSpan(value, zone) : value
}

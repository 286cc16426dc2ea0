// Shows what an entry of the audit log changed, field by field. Leaves out fields that only record that
// something changed.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, sentences, t, tHtml, translate, wordsOf } from '../../locales/translate.ts'
import { formatInstant } from '../../pages/time/instants.ts'
import type { AuditEntry } from './queries.ts'
import { type AuditContext, fieldsOf, formatSpan, kindOf, parseSpan } from './things.ts'

const FIELDS: Readonly<Record<string, Sentence>> = {
  email: sentence`e-mail`,
  upn: sentence`sign-in name (UPN)`,
  external_id: sentence`ID in your directory`,
  timezone: sentence`time zone`,
  integration_email: sentence`e-mail for calendars`,
  during: sentence`time`,
  bookable_id: sentence`desk or room`,
  location_id: sentence`floor`,
  user_id: sentence`person`,
  organizer_user_id: sentence`organizer`,
  booking_user_id: sentence`books in the name of`,
  event_id: sentence`meeting`,
  hold_id: sentence`request or offer`,
  booking_info: sentence`purpose`,
  from_timezone: sentence`time zone of the start`,
  to_timezone: sentence`time zone of the end`,
  bookables: sentence`rooms`,
  url: sentence`URL`,
  plan_shapes: sentence`rooms, zones and walls on the floor plan`,
}
// Other columns are shown by the words of their names.
sentences`
  name, extension attributes, groups, license plates, uuid, address, code, rules, floor plan type,
  floor plan bytes, floor plan width, floor plan height, description, type, status, tags, capacity,
  requires vehicle, position x, position y, position width, position height, position rotation, cell width, exclusive, guest name, guest email, license plate,
  check in from, check in until, overridden rules, classification, attendees, types, enabled,
  disabled reason, failing since, previous secret until, base url, building ids, deactivated, building,
  deleted, series, vehicle, checked in, released, token, kind, names,
  appearance, language, revoked`

export const labelOf = (field: string): Sentence =>
  (Object.hasOwn(FIELDS, field) && FIELDS[field]) || wordsOf(field.replace(/_(id|at)$/, ''))

// The entry's sentence already says why the wait ended.
const LEFT_OUT = new Set(['id', 'created_at', 'updated_at', 'revision', 'password_hash', 'end_reason'])
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
    const change = tHtml`${translate(labelOf(field))} ${html`<del>${old}</del>`} → ${html`<ins>${present}</ins>`}`
    return html`${index > 0 && '; '}${change}`
  })
  return html`${shown}`
}

sentences`desk, parking spot, meeting room, home office, flexible, blocked, assigned`

/** The name of a number, such as `meetingRoom`, in words. */
const nameOf = (numbers: Record<string, number>, value: unknown): string | undefined =>
  Object.keys(numbers).find((name) => numbers[name] === value)
const NUMBERS: Record<string, Record<string, number>> = { type: BOOKABLE_TYPES, status: BOOKABLE_STATUSES }

function formatValue(context: AuditContext, resource: string, field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return t`none`
  if (typeof value === 'boolean') return value ? t`yes` : t`no`
  const name = resource === 'bookables' ? nameOf(NUMBERS[field] ?? {}, value) : undefined
  if (name) return translate(wordsOf(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)))
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

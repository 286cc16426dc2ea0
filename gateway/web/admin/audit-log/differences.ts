// Shows what an entry of the audit log changed, field by field. Leaves out fields that only record that
// something changed.
import { BOOKABLE_STATUSES, BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../../html/html.ts'
import { type Sentence, sentence, sentences, t, tHtml, toWords, translate } from '../../locales/translate.ts'
import { formatInstant } from '../../pages/time/instants.ts'
import type { AuditEntry } from './queries.ts'
import { type AuditContext, findReferenceKind, formatSpan, parseSpan, toAuditedFields } from './things.ts'

const FIELD_LABELS: Readonly<Record<string, Sentence>> = {
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
  booked_by_user_id: sentence`booked by`,
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
// The labels of columns. Other columns are labelled with the words in their names.
sentences`
  name, extension attributes, groups, license plates, uuid, address, code, rules, floor plan type,
  floor plan bytes, floor plan width, floor plan height, description, type, status, tags, capacity,
  requires vehicle, position x, position y, position width, position height, position rotation, cell width, exclusive, guest name, guest email, license plate,
  check in from, check in until, overridden rules, classification, attendees, types, enabled,
  disabled reason, failing since, previous secret until, base url, building ids, deactivated, building,
  deleted, series, vehicle, checked in, released, token, kind, names,
  appearance, language, revoked, invites`

export const findFieldLabel = (field: string): Sentence =>
  (Object.hasOwn(FIELD_LABELS, field) && FIELD_LABELS[field]) || toWords(field.replace(/_(id|at)$/, ''))

// Fields that are left out. `end_reason` is one of them, because the entry's sentence already says why
// somebody stopped waiting.
const OMITTED_FIELDS = new Set([
  'id',
  'created_at',
  'updated_at',
  'revision',
  'password_hash',
  'end_reason',
  'occurs_at',
])
const VALUE_LENGTH_MAX = 60

/** Returns undefined if there was no earlier value, or there is nothing to compare. */
export function showChanges(
  context: AuditContext,
  { before, after, resource }: Pick<AuditEntry, 'before' | 'after' | 'resource'>,
  without: string[] = [],
): Html | undefined {
  if (before === null || before === undefined || after === null || after === undefined) return undefined
  const [was, is] = [toAuditedFields(before), toAuditedFields(after)]
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter(
    (field) =>
      !OMITTED_FIELDS.has(field) &&
      !without.includes(field) &&
      JSON.stringify(was[field]) !== JSON.stringify(is[field]),
  )
  if (fields.length === 0) return undefined
  const shown = fields.map((field, index) => {
    const [old, present] = [was[field], is[field]].map((value) =>
      formatValue(context, resource, field, value),
    )
    const change = tHtml`${translate(findFieldLabel(field))} ${html`<del>${old}</del>`} → ${html`<ins>${present}</ins>`}`
    return html`${index > 0 && '; '}${change}`
  })
  return html`${shown}`
}

sentences`desk, parking spot, meeting room, home office, flexible, blocked, assigned`

/** Returns a numeric code as its name in words, for example of `meetingRoom`. */
const findNumberName = (numbers: Record<string, number>, value: unknown): string | undefined =>
  Object.keys(numbers).find((name) => numbers[name] === value)
const NUMBER_NAMES: Record<string, Record<string, number>> = {
  type: BOOKABLE_TYPES,
  status: BOOKABLE_STATUSES,
}

function formatValue(context: AuditContext, resource: string, field: string, value: unknown): string {
  if (value === null || value === undefined || value === '') return t`none`
  if (typeof value === 'boolean') return value ? t`yes` : t`no`
  const name = resource === 'bookables' ? findNumberName(NUMBER_NAMES[field] ?? {}, value) : undefined
  if (name) return translate(toWords(name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)))
  const text = Array.isArray(value)
    ? formatListedValues(context, field, value)
    : formatSingleValue(context, field, value)
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text
}

function formatListedValues(context: AuditContext, field: string, values: unknown[]): string {
  if (values.length === 0) return t`none`
  if (values.some((each) => typeof each === 'object')) return JSON.stringify(values)
  return values.map((each) => formatSingleValue(context, field, each)).join(', ')
}

function formatSingleValue({ names, zone }: AuditContext, field: string, value: unknown): string {
  const known = names.find(findReferenceKind(field) ?? '', value)
  if (known) return known.name
  if (typeof value !== 'string') return JSON.stringify(value)
  if (field.endsWith('_at') && !Number.isNaN(Date.parse(value)))
    return formatInstant(new Date(value).toISOString(), zone)
  return field === 'during' && parseSpan(value) ? formatSpan(value, zone) : value
}

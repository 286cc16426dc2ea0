// The form of a new or existing event: its fields, and the conversion of their values to job input.
import { field, message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required, text, verbatim } from '../../../../shared/schemas/fields.ts'
import { timezone } from '../../../../shared/schemas/times.ts'
import { attributes, type Html, html } from '../../../html/html.ts'
import { t, translate } from '../../locales/translate.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import type { UserChoice } from '../../pages/search/choices.ts'
import { localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { zoneOptions } from '../../pages/time/zones.ts'
import { type Fields, oneOf } from '../../pages/ui/fields.ts'
import { type FormOptions, form } from '../../pages/ui/forms.ts'
import { overridingField, showOverriding } from '../affected-bookings/affected-bookings-form.ts'
import { explainConflicts } from '../bookings/conflicts.ts'
import { attendeesOf, type Choices } from './attendee-choices.ts'
import { CLASSIFICATIONS, isCancelled } from './event.ts'
import type { MeetingTime } from './meeting-time.ts'
import type { EventDetails } from './queries.ts'

const DEFAULT_CLASSIFICATION = 3
const classifications = CLASSIFICATIONS.map((_, value) => String(value))

export const eventForm = object({
  name: required(text({ max: 255, min: 1 })),
  description: verbatim({ max: 65_535 }),
  from_time: required(localDateTime()),
  from_timezone: required(timezone()),
  to_time: required(localDateTime()),
  to_timezone: timezone(),
  classification: required(oneOf(classifications)),
  organizer_user_id: required(queryId()),
  ...overridingField,
})
type EventValues = typeof eventForm.__outputType
type Shown = { choices: Choices; time: MeetingTime; hasRules: boolean; present: EventDetails | undefined }

export async function saveEvent(
  call: ActionCall,
  typed: EventValues,
  choices: Choices,
  present?: EventDetails,
) {
  const zones = { from: typed.from_timezone, to: typed.to_timezone ?? typed.from_timezone }
  const { from, to } = parseSpan(typed, zones, present)
  if (!from || !to) throw invalid({ to_time: [message`${field('to_time')} is required.`] })
  const input = {
    name: typed.name,
    description: descriptionOf(typed, present),
    from_time: from,
    from_timezone: zones.from,
    to_time: to,
    to_timezone: zones.to,
    classification: Number(typed.classification),
    overrides_rules: typed.overrides_rules,
    attendees: attendeesOf({
      users: choices.users.filter(({ isActive }) => isActive).map(({ id }) => id),
      rooms: choices.rooms.filter(({ isDeleted }) => !isDeleted).map(({ id }) => id),
      visitors: choices.visitors,
    }),
  }
  const organizer = typed.organizer_user_id
  const requested = { bookableIds: choices.rooms.map(({ id }) => id), from, to, linksFree: true as const }
  const { data } = await explainConflicts(call, requested, present ? { event: present.id } : {}, () => {
    if (!present) return call.dispatch('events.create', { ...input, organizer_user_id: organizer })
    // A deactivated user may stay the organizer, but cannot become it.
    const change = organizer === present.organizerId ? {} : { organizer_user_id: organizer }
    const own = { id: present.id, version: call.version, reinstates: true }
    return call.dispatch('events.replace', { ...input, ...change, ...own })
  })
  return data.id
}

export function showEventForm(
  call: Call<unknown, { organizer?: number | undefined }>,
  options: Pick<FormOptions, 'action' | 'submit' | 'cancel'>,
  { present, time, choices, hasRules }: Shown,
  alternatives: Html,
): Html {
  const values = { classification: DEFAULT_CLASSIFICATION, ...present }
  return form(call, { ...options, version: present?.version, values }, (fields) => [
    present && addVersionOnlyFields(fields, present),
    alternatives,
    html`<div data-times>${showTimes(fields, time)}</div>`,
    fields.text('name', t`Name`),
    fields.select('organizer_user_id', t`Organizer`, {
      hint: t`One of the people above.`,
      value: present?.organizerId,
      entered: call.query.organizer,
      options: organizerOptions(choices.users, present),
    }),
    fields.area('description', t`Description`, { hint: t`You can use Markdown.` }),
    fields.select('classification', t`Classification`, {
      options: CLASSIFICATIONS.map((label, value) => ({ value, label: translate(label) })),
    }),
    // A script shows it as soon as a room with rules is chosen.
    html`<div data-overriding${attributes({ hidden: !hasRules })}>${showOverriding(fields, true)}</div>`,
  ])
}

function showTimes(fields: Fields, { saved, entered }: MeetingTime): Html[] {
  return [
    fields.time('from_time', t`From`, { value: saved.from, entered: entered.from }),
    fields.time('to_time', t`Until`, { value: saved.to, entered: entered.to }),
    fields.select('from_timezone', t`Time zone`, {
      value: saved.zone,
      entered: entered.zone,
      options: zoneOptions(entered.zone),
    }),
    fields.select('to_timezone', t`End time zone`, {
      value: saved.endZone,
      entered: entered.endZone,
      options: [{ value: '', label: t`Same as start` }, ...zoneOptions(entered.endZone || undefined)],
    }),
  ]
}

// Values that are saved with the form but chosen elsewhere on the page.
function addVersionOnlyFields(fields: Fields, present: EventDetails): undefined {
  fields.remember('status', t`Status`, isCancelled(present) ? t`cancelled` : t`confirmed`)
  fields.remember('attendees', t`The list of people`, present.attendees.map(({ name }) => name).join(', '))
  fields.remember('rooms', t`The list of rooms`, present.rooms.join(', '))
}

// Browsers send CRLF line ends. A description that nobody changed stays the same to the byte.
function descriptionOf({ description = '' }: EventValues, present?: EventDetails): string {
  const plain = (words: string) => words.replace(/\r\n?/g, '\n')
  const was = present?.description ?? ''
  return plain(description) === plain(was) ? was : plain(description)
}

/** The selected people; the current organizer may stay even if not selected. */
export function organizerOptions(users: UserChoice[], present?: EventDetails) {
  const options = users
    .filter(({ isActive }) => isActive)
    .map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))
  if (!present) return options.length > 0 ? options : [{ value: '', label: t`Add people first` }]
  if (options.some(({ value }) => value === present.organizerId)) return options
  const { organizerId, organizer, organizerEmail } = present
  return [{ value: organizerId, label: `${organizer} (${organizerEmail})` }, ...options]
}

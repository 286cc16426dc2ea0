// The form of a new or existing event: its fields, and the conversion of their values to the input of jobs.
import { fieldName, message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import {
  object,
  queryFlag,
  queryId,
  required,
  text,
  verbatimText,
} from '../../../../shared/schemas/fields.ts'
import { timezone } from '../../../../shared/schemas/times.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { t, translate } from '../../locales/translate.ts'
import { getSeveralScope, scopeFields, showScope } from '../../pages/bookings/series-scope.ts'
import { canMail } from '../../pages/page/can-mail.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import type { UserChoice } from '../../pages/search/choices.ts'
import { localDateTime, parseSpan } from '../../pages/time/fields.ts'
import { listZoneOptions } from '../../pages/time/zones.ts'
import { type Fields, oneOfChoices } from '../../pages/ui/fields.ts'
import { type FormOptions, form } from '../../pages/ui/forms.ts'
import { overridingField, showOverrideRulesField } from '../affected-bookings/affected-bookings-form.ts'
import { explainConflicts } from '../bookings/conflicts.ts'
import { type AttendeeChoices, listAttendees } from './attendee-choices.ts'
import { CLASSIFICATION_NAMES, isCancelled } from './event.ts'
import type { MeetingTime } from './meeting-time.ts'
import type { EventDetails } from './queries.ts'

const DEFAULT_CLASSIFICATION = 3
const classificationValues = CLASSIFICATION_NAMES.map((_, value) => String(value))

export const eventForm = object({
  name: required(text({ max: 255, min: 1 })),
  description: verbatimText({ max: 65_535 }),
  from_time: required(localDateTime()),
  from_timezone: required(timezone()),
  to_time: required(localDateTime()),
  to_timezone: timezone(),
  classification: required(oneOfChoices(classificationValues)),
  organizer_user_id: required(queryId()),
  invite: queryFlag(),
  ...overridingField,
  ...scopeFields,
})
type EventValues = typeof eventForm.__outputType
type EventFormOptions = {
  choices: AttendeeChoices
  time: MeetingTime
  hasRules: boolean
  present: EventDetails | undefined
}

export async function saveEvent(
  call: ActionCall,
  typed: EventValues,
  choices: AttendeeChoices,
  present?: EventDetails,
) {
  const zones = { from: typed.from_timezone, to: typed.to_timezone ?? typed.from_timezone }
  const { from, to } = parseSpan(typed, zones, present)
  if (!from || !to) throw invalidFields({ to_time: [message`${fieldName('to_time')} is required.`] })
  const input = {
    name: typed.name,
    description: readDescription(typed, present),
    from_time: from,
    from_timezone: zones.from,
    to_time: to,
    to_timezone: zones.to,
    classification: Number(typed.classification),
    invite: typed.invite,
    attendees: listAttendees({
      users: choices.users.filter(({ isActive }) => isActive).map(({ id }) => id),
      rooms: choices.rooms.filter(({ isDeleted }) => !isDeleted).map(({ id }) => id),
      visitors: choices.visitors,
    }),
  }
  const organizer = typed.organizer_user_id
  const requested = { bookableIds: choices.rooms.map(({ id }) => id), from, to, linksFree: true as const }
  const { data } = await explainConflicts(call, requested, present ? { event: present.id } : {}, () => {
    const { overrides_rules } = typed
    if (!present)
      return call.dispatch('events.create', { ...input, overrides_rules, organizer_user_id: organizer })
    // A deactivated user may remain the organizer, but cannot become one.
    const change = organizer === present.organizerId ? {} : { organizer_user_id: organizer }
    const own = { ...input, ...change, id: present.id, version: call.version }
    const scope = getSeveralScope(typed)
    if (scope) return call.dispatch('event-series.replace-events', { ...own, scope })
    return call.dispatch('events.replace', { ...own, overrides_rules, reinstates: true })
  })
  return data.id
}

export function showEventForm(
  call: Call<unknown, { organizer?: number | undefined }>,
  options: Pick<FormOptions, 'action' | 'submit' | 'cancel'>,
  { present, time, choices, hasRules }: EventFormOptions,
  alternatives: Html,
): Html {
  const values = { classification: DEFAULT_CLASSIFICATION, invite: !present, ...present }
  return form(call, { ...options, version: present?.version, values }, (fields) => [
    present && addVersionOnlyFields(fields, present),
    alternatives,
    html`<div data-times>${showTimes(fields, time)}</div>`,
    fields.text('name', t`Name`),
    fields.select('organizer_user_id', t`Organizer`, {
      hint: t`Choose one of the people above.`,
      value: present?.organizerId,
      entered: call.query.organizer,
      options: listOrganizerOptions(choices.users, present),
    }),
    fields.area('description', t`Description`, { hint: t`You can use Markdown.` }),
    fields.select('classification', t`Classification`, {
      options: CLASSIFICATION_NAMES.map((label, value) => ({ value, label: translate(label) })),
    }),
    canMail(call) && showInviteField(fields, present),
    present && !isCancelled(present) && showScope(fields, present.seriesId),
    // A script shows this part as soon as a room with rules is chosen.
    html`<div data-overriding${formatAttributes({ hidden: !hasRules })}>${showOverrideRulesField(fields, true)}</div>`,
  ])
}

/** Once a meeting has sent invitations by mail, the invited people get a mail about every change, so the
 * checkbox is no longer shown. */
function showInviteField(fields: Fields, present: EventDetails | undefined): Html {
  if (present?.invites)
    return html`<p class="soft">${t`Everybody is invited by e-mail and gets an e-mail about this change.`}</p>`
  return fields.checkbox('invite', t`Invite everybody by e-mail`, {
    hint: t`Everybody also gets an e-mail about every later change.`,
  })
}

function showTimes(fields: Fields, { saved, entered }: MeetingTime): Html[] {
  return [
    fields.time('from_time', t`From`, { value: saved.from, entered: entered.from }),
    fields.time('to_time', t`Until`, { value: saved.to, entered: entered.to }),
    fields.select('from_timezone', t`Time zone`, {
      value: saved.zone,
      entered: entered.zone,
      options: listZoneOptions(entered.zone),
    }),
    fields.select('to_timezone', t`End time zone`, {
      value: saved.endZone,
      entered: entered.endZone,
      options: [{ value: '', label: t`Same as start` }, ...listZoneOptions(entered.endZone || undefined)],
    }),
  ]
}

// Adds hidden fields for values that are saved with the form but chosen elsewhere on the page.
function addVersionOnlyFields(fields: Fields, present: EventDetails): undefined {
  fields.remember('status', t`Status`, isCancelled(present) ? t`cancelled` : t`confirmed`)
  fields.remember('attendees', t`The list of people`, present.attendees.map(({ name }) => name).join(', '))
  fields.remember('rooms', t`The list of rooms`, present.rooms.join(', '))
}

// Returns the description with its original line ends, because browsers send CRLF. A description that nobody changed
// stays identical.
function readDescription({ description = '' }: EventValues, present?: EventDetails): string {
  const plain = (words: string) => words.replace(/\r\n?/g, '\n')
  const was = present?.description ?? ''
  return plain(description) === plain(was) ? was : plain(description)
}

/** Lists the selected people as possible organizers. The current organizer may remain even if they are not selected. */
export function listOrganizerOptions(users: UserChoice[], present?: EventDetails) {
  const options = users
    .filter(({ isActive }) => isActive)
    .map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))
  if (!present) return options.length > 0 ? options : [{ value: '', label: t`Add people first` }]
  if (options.some(({ value }) => value === present.organizerId)) return options
  const { organizerId, organizer, organizerEmail } = present
  return [{ value: organizerId, label: `${organizer} (${organizerEmail})` }, ...options]
}

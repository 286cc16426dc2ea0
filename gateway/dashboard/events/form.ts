// The form of an event, new or not: its fields, and what was typed as the jobs take it.
import { choice, object, queryId, required, text, verbatim } from '../../../shared/contracts/fields.ts'
import { timezone } from '../../../shared/contracts/times.ts'
import { addHours } from '../../../shared/date-times.ts'
import { invalid } from '../../../shared/refusal.ts'
import { formatLocalDateTime } from '../../../shared/utilities/wall-clock.ts'
import type { Html } from '../../http/html.ts'
import { explainConflicts } from '../bookings/conflicts.ts'
import type { ActionCall, Call } from '../framework/page.ts'
import { overridingField, showOverriding } from '../places/rules/overriding.ts'
import { localDateTime } from '../time/fields.ts'
import { nextFullHour } from '../time/instants.ts'
import { parseSpan } from '../time/spans.ts'
import { formatZone, zoneOptions } from '../time/zones.ts'
import type { Fields } from '../ui/fields.ts'
import { type FormOptions, form } from '../ui/forms.ts'
import { formatFirst } from '../ui/words.ts'
import type { Choices } from './attendee-choices.ts'
import { attendeesOf } from './attendee-selection.ts'
import type { EventDetails } from './queries.ts'
import { CLASSIFICATIONS, isCancelled } from './words.ts'

const DEFAULT_CLASSIFICATION = 3
const OTHERS_NAMED = 3
const classifications = CLASSIFICATIONS.map((_, value) => String(value))

export const eventForm = object({
  name: required(text({ max: 255, min: 1 })),
  description: verbatim({ max: 65_535 }),
  from_time: required(localDateTime()),
  from_timezone: required(timezone()),
  to_time: required(localDateTime()),
  to_timezone: timezone(),
  classification: required(choice(classifications, (name) => `${name} must be one of the choices.`)),
  organizer_user_id: required(queryId()),
  ...overridingField,
})
type Typed = typeof eventForm.__outputType

/** Creates the event, or replaces the present one; returns its id. */
export async function saveEvent(
  call: ActionCall,
  typed: Typed,
  choices: Choices,
  present?: EventDetails,
): Promise<number> {
  const zones = { from: typed.from_timezone, to: typed.to_timezone ?? typed.from_timezone }
  const { from, to } = parseSpan(typed, zones, present)
  if (!from || !to) throw invalid({ to_time: ['Until is required.'] })
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
  const wanted = { bookableIds: choices.rooms.map(({ id }) => id), from, to }
  const { data } = await explainConflicts(call, wanted, present ? { event: present.id } : {}, () => {
    if (!present) return call.dispatch('events.create', { ...input, organizer_user_id: organizer })
    // One who has left the company since may stay the organizer, but cannot become it.
    const change = organizer === present.organizerId ? {} : { organizer_user_id: organizer }
    return call.dispatch('events.replace', {
      ...input,
      ...change,
      id: present.id,
      version: call.version,
      reinstates: true,
    })
  })
  return data.id
}

export function showEventForm(
  call: Call,
  options: Pick<FormOptions, 'action' | 'submit' | 'cancel'>,
  choices: Choices,
  { present, zone, hasRules }: { present?: EventDetails; zone: string; hasRules: boolean },
): Html {
  const start = present?.from ?? nextFullHour(call.now)
  const end = present?.to ?? addHours(start, 1)
  const endZone = present && present.toZone !== present.fromZone ? present.toZone : ''
  return form(call, { ...options, version: present?.version }, (fields) => [
    present && rememberOthers(fields, present),
    fields.text({ name: 'name', label: 'Name', value: present?.name, required: true, maxlength: 255 }),
    fields.text({
      name: 'from_time',
      label: 'From',
      type: 'datetime-local',
      value: formatLocalDateTime(start, zone),
      required: true,
    }),
    fields.text({
      name: 'to_time',
      label: 'Until',
      type: 'datetime-local',
      value: formatLocalDateTime(end, endZone || zone),
      required: true,
    }),
    fields.select({
      name: 'from_timezone',
      label: 'Time zone',
      hint: describeOtherZones(choices, zone),
      value: zone,
      options: zoneOptions(zone),
      required: true,
    }),
    fields.select({
      name: 'to_timezone',
      label: 'End time zone',
      value: endZone,
      options: [{ value: '', label: 'Same as start' }, ...zoneOptions(endZone)],
    }),
    fields.select({
      name: 'organizer_user_id',
      label: 'Organizer',
      hint: 'One of the people above.',
      value: present?.organizerId,
      options: organizerOptions(choices, present),
      required: true,
    }),
    fields.area({
      name: 'description',
      label: 'Description',
      hint: 'You can use Markdown.',
      value: present?.description,
    }),
    fields.select({
      name: 'classification',
      label: 'Classification',
      value: present?.classification ?? DEFAULT_CLASSIFICATION,
      options: CLASSIFICATIONS.map((label, value) => ({ value, label })),
      required: true,
    }),
    showOverriding(fields, hasRules),
  ])
}

// The zone stays what it is when rooms are added: their times would change with it, unseen.
function describeOtherZones({ rooms }: Choices, zone: string): string {
  const others = rooms.filter((room) => room.zone !== zone)
  const named = others.map((room) => `${room.name} is in ${formatZone(room.zone)}`)
  return ['For the times above.', ...(named.length > 0 ? [`${formatFirst(named, OTHERS_NAMED)}.`] : [])].join(
    ' ',
  )
}

// Saved with the form, but chosen elsewhere.
function rememberOthers(fields: Fields, present: EventDetails): undefined {
  fields.remember('status', 'Status', isCancelled(present) ? 'cancelled' : 'confirmed')
  fields.remember('attendees', 'The list of people', present.attendees.map(({ name }) => name).join(', '))
  fields.remember('rooms', 'The list of rooms', present.rooms.join(', '))
}

// Browsers send the line ends of another world; what nobody touched stays to the byte.
function descriptionOf({ description = '' }: Typed, present?: EventDetails): string {
  const plain = (words: string) => words.replace(/\r\n?/g, '\n')
  const was = present?.description ?? ''
  return plain(description) === plain(was) ? was : plain(description)
}

function organizerOptions({ users }: Choices, present?: EventDetails) {
  const options = users
    .filter(({ isActive }) => isActive)
    .map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }))
  if (!present || options.some(({ value }) => value === present.organizerId)) return options
  const { organizerId, organizer, organizerEmail } = present
  return [{ value: organizerId, label: `${organizer} (${organizerEmail})` }, ...options]
}

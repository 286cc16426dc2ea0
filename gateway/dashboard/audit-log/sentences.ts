// What an entry of the audit log says, as a sentence: what was done to what, by their names, and only what has changed.
import { type AuditAction, isAuditAction } from '../../../shared/contracts/administrators/audit-actions.ts'
import { formatRole, isRole } from '../../../shared/contracts/administrators/roles.ts'
import { BOOKABLE_STATUSES } from '../../../shared/contracts/bookables.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import { formatCount, formatList } from '../ui/words.ts'
import * as bookings from './booking-sentences.ts'
import { showChanges } from './differences.ts'
import { fieldsOf } from './paths.ts'
import type { AuditEntry } from './queries.ts'
import { numbersOf, type Said, showAll, showNamed, showThing, type Told } from './sentence-parts.ts'

type Sentence = (told: Told) => Html

/** Without its end, and without who did it, who stands beside it. */
export function showSentence(said: Said, entry: AuditEntry): Html {
  const told = { said, entry, before: fieldsOf(entry.before), after: fieldsOf(entry.after) }
  return isAuditAction(entry.action) ? SENTENCES[entry.action](told) : sayUnknown(told)
}

/** `say('deleted the building')`: “deleted the building Harbour House”. */
const say =
  (verb: string, after = ''): Sentence =>
  (told) =>
    html`${verb} ${showThing(told, verb)}${after}`

/** What has changed comes behind it. */
const sayChanges =
  (verb: string): Sentence =>
  (told) => {
    const changes = showChanges(told.said, told.entry)
    return html`${verb} ${showThing(told, verb)}${changes && html`: ${changes}`}`
  }

const SENTENCES: Record<AuditAction, Sentence> = {
  'admins.create': (told) =>
    html`created the administrator ${showThing(told, 'administrator')}${asRole(told.after)}`,
  'admins.create-link': say('created a link to a new password for'),
  'admins.disable': say('disabled the administrator'),
  'admins.enable': say('enabled the administrator', ' again'),
  'admins.invite': (told) => html`invited ${showThing(told)}${asRole(told.after)}`,
  'admins.link': say('linked the administrator', ' to an account of the provider'),
  'admins.reset-password': say('set a new password for'),
  'admins.set-role': sayRole,
  'bookables.assign': sayAssigned,
  'bookables.create': (told) => html`added ${showThing(told)}${showWhere(told)}`,
  'bookables.delete': say('deleted'),
  'bookables.edit': sayBookableChanged,
  'bookables.set-position': sayPosition,
  'bookables.set-rules': sayRules,
  'bookables.unassign': sayUnassigned,
  'bookables.unassign-all': sayUnassigned,
  'bookables.update': sayBookableChanged,
  'bookings.check-in': bookings.sayCheckedIn,
  'bookings.clear': bookings.sayBookingCleared,
  'bookings.create': bookings.sayBooked,
  'bookings.delete': bookings.sayBookingCancelled,
  'bookings.move': bookings.sayBookingMoved,
  'bookings.release': bookings.sayBookingReleased,
  'bookings.update': bookings.sayBookingChanged,
  'buildings.create': say('created the building'),
  'buildings.delete': say('deleted the building'),
  'buildings.set-rules': sayRules,
  'buildings.update': sayChanges('changed the building'),
  'calendars.create': sayCalendar('created'),
  'calendars.delete': sayCalendar('took back'),
  'events.cancel': bookings.sayEventCancelled,
  'events.check-in': bookings.sayEventCheckedIn,
  'events.clear-room': bookings.sayRoomCleared,
  'events.create': bookings.sayEventCreated,
  'events.move-room': bookings.sayRoomMoved,
  'events.release': bookings.sayRoomReleased,
  'events.replace': bookings.sayEventChanged,
  'locations.create': (told) => html`added ${showThing(told)}${showIn(told)}`,
  'locations.delete': (told) => html`deleted ${showThing(told)}${showIn(told)}`,
  'locations.set-floor-plan': sayFloorPlan,
  'locations.set-rules': sayRules,
  'locations.update': sayChanges('changed'),
  'series.create': bookings.saySeriesCreated,
  'series.delete': bookings.saySeriesDeleted,
  'tokens.create': say('created the token'),
  'tokens.revoke': say('revoked the token'),
  'tokens.rotate': sayRotated,
  'users.create': say('added'),
  'users.deactivate': say('deactivated'),
  'users.edit': sayChanges('changed'),
  'users.erase': sayErased,
  'users.import': sayImported,
  'users.restore': say('restored'),
  'webhooks.create': say('created the webhook'),
  'webhooks.delete': say('deleted the webhook'),
  'webhooks.disable': sayWebhookDisabled,
  'webhooks.rotate-secret': say('created a new secret for the webhook'),
  'webhooks.send-again': say('sent a delivery again to the webhook'),
  'webhooks.send-failed': sayFailedSentAgain,
  'webhooks.test': say('sent a test to the webhook'),
  'webhooks.update': sayChanges('changed the webhook'),
}

// Of a release that had other actions.
function sayUnknown(told: Told): Html {
  const verb = told.entry.action.slice(told.entry.action.indexOf('.') + 1)
  return sayChanges(verb.replaceAll('-', ' '))(told)
}

const roleOf = ({ role }: Record<string, unknown>): string | undefined =>
  typeof role === 'string' && isRole(role) ? formatRole(role).toLowerCase() : undefined

function asRole(row: Record<string, unknown>): string {
  const role = roleOf(row)
  return role === undefined ? '' : ` as ${role}`
}

function sayRole(told: Told): Html {
  const [was = 'none', is = 'none'] = [told.before, told.after].map(roleOf)
  return html`changed the role of ${showThing(told)} from ${was} to ${is}`
}

const assigneesOf = (row: Record<string, unknown>) => numbersOf(row['assignees'])

function sayAssigned(told: Told): Html {
  const present = assigneesOf(told.before)
  const added = assigneesOf(told.after).filter((id) => !present.includes(id))
  const whom = added.length > 0 && html` to ${showAll(told.said, 'users', added)}`
  return html`assigned ${showThing(told)}${whom}`
}

function sayUnassigned(told: Told): Html {
  const present = assigneesOf(told.after)
  const removed = assigneesOf(told.before).filter((id) => !present.includes(id))
  const whose = removed.length > 0 && html` to ${showAll(told.said, 'users', removed)}`
  return html`ended the assignment of ${showThing(told)}${whose}`
}

function showWhere({ said, after }: Told): Content {
  const id = after['location_id']
  return id !== undefined && html` in ${showNamed(said, 'locations', id)}`
}

function showIn({ said, before, after }: Told): Content {
  const id = after['building_id'] ?? before['building_id']
  return id !== undefined && html` in ${showNamed(said, 'buildings', id)}`
}

function sayBookableChanged(told: Told): Html {
  const [was, is] = [told.before['status'], told.after['status']]
  if (was === is) return sayChanges('changed')(told)
  const changes = showChanges(told.said, told.entry, ['status'])
  const verb = is === BOOKABLE_STATUSES.blocked ? 'blocked' : 'unblocked'
  return html`${verb} ${showThing(told)}${changes && html` and changed it: ${changes}`}`
}

function sayPosition(told: Told): Html {
  const [was, is] = [told.before, told.after].map((row) => (row['position_x'] ?? null) !== null)
  if (!is) return html`took ${showThing(told)} off the floor plan`
  return html`${was ? 'moved' : 'placed'} ${showThing(told)} on the floor plan`
}

function sayFloorPlan(told: Told): Html {
  const [was, is] = [told.before, told.after].map((row) => (row['floor_plan_type'] ?? null) !== null)
  const verb = is ? (was ? 'replaced' : 'uploaded') : 'removed'
  return html`${verb} the floor plan of ${showThing(told)}`
}

function sayRules(told: Told): Html {
  const [was, is] = [told.before, told.after].map((row) => fieldsOf(row['rules']))
  const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])]
  const changed = names.filter((name) => JSON.stringify(was?.[name]) !== JSON.stringify(is?.[name]))
  const which = changed.map((name) => RULES[name] ?? name.replaceAll('_', ' '))
  return html`changed the rules of ${showThing(told)}${which.length > 0 && `: ${formatList(which)}`}`
}

const RULES: Record<string, string> = {
  opening_hours: 'opening hours',
  days_ahead_max: 'how far ahead',
  minutes_min: 'shortest booking',
  minutes_max: 'longest booking',
  bookings_ahead_max: 'bookings per person',
  one_at_a_time: 'one at a time',
  group_ids: 'groups',
  check_in: 'check-in',
  closed: 'closed times',
}

/** `created the calendar address of Anna Bauer`. */
function sayCalendar(verb: string): Sentence {
  return ({ said, before, after }) => {
    const row = { ...before, ...after }
    const fields = { user_id: 'users', bookable_id: 'bookables', location_id: 'locations' }
    const [of] = Object.entries(fields).filter(([field]) => (row[field] ?? null) !== null)
    return html`${verb} ${of ? html`a calendar address of ${showNamed(said, of[1], row[of[0]])}` : 'a calendar address'}`
  }
}

function sayRotated(told: Told): Html {
  const seconds = Number(told.after['overlapSeconds'] ?? 0)
  const hours = seconds / 3600
  const overlap = seconds > 0 && `; the old one works for ${Math.round(hours * 10) / 10} hours more`
  return html`created a new secret for the token ${showThing(told, 'token')}${overlap}`
}

const COUNTED: Array<[key: string, one: string, many: string, after: string]> = [
  ['created', 'person', 'people', 'added'],
  ['updated', 'person', 'people', 'changed'],
  ['deleted', 'person', 'people', 'deactivated'],
  ['errors', 'row', 'rows', 'refused'],
]

function sayImported({ after }: Told): Html {
  const counts = COUNTED.flatMap(([key, one, many, done]) => {
    const number = after[key]
    return typeof number === 'number' && number > 0 ? [`${formatCount(number, one, many)} ${done}`] : []
  })
  const from = typeof after['filename'] === 'string' && ` from ${after['filename']}`
  return html`imported people${from}: ${counts.length > 0 ? counts.join(', ') : 'nothing changed'}`
}

function sayErased({ entry, after }: Told): Html {
  const cancelled = after['cancelledBookings']
  const more =
    typeof cancelled === 'number' && cancelled > 0 && `, and cancelled ${formatCount(cancelled, 'booking')}`
  return html`erased person ${entry.resourceId}${more}`
}

function sayWebhookDisabled(told: Told): Html {
  const reason = told.after['reason']
  return html`switched off the webhook ${showThing(told, 'webhook')}${typeof reason === 'string' && `: ${reason.replace(/\.$/, '')}`}`
}

function sayFailedSentAgain(told: Told): Html {
  const number = told.after['deliveries']
  const what =
    typeof number === 'number' ? formatCount(number, 'failed delivery', 'failed deliveries') : 'what failed'
  return html`sent ${what} again to the webhook ${showThing(told, 'webhook')}`
}

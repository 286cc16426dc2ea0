// The sentence of each action in the audit log. A template is a whole sentence, because word order differs
// between languages; values.ts has the values. Rows of erased users may be empty, and older releases recorded
// less, so a part in [brackets] is left out unless its values are known, and of several templates the first is
// used whose values are known.
import type { AuditAction } from '../../../../shared/audit/audit-actions.ts'
import { BOOKABLE_STATUSES } from '../../../../shared/bookables/bookables.ts'
import { type Sentence, sentence } from '../../locales/translate.ts'
import { type AuditArgs, formatSpan, parseSpan, type Row } from './things.ts'

type Templates = Sentence | Sentence[]

export const TEMPLATES: Record<AuditAction, Templates | ((args: AuditArgs) => Templates)> = {
  'admins.create': sentence`created the administrator {name}[ as {newRole}]`,
  'admins.create-link': sentence`created a link to a new password for {thing}`,
  'admins.disable': sentence`disabled the administrator {name}`,
  'admins.enable': sentence`enabled the administrator {name} again`,
  'admins.invite': [sentence`invited {thing} as {newRole}`, sentence`invited the administrator {name}`],
  'admins.link': sentence`linked the administrator {name} to an account of the provider`,
  'admins.reset-password': sentence`set a new password for {thing}`,
  'admins.set-report-mail': sentence`chose whether to get the monthly report by mail`,
  'admins.set-role': sentence`changed the role of {thing}[ from {oldRole}][ to {newRole}]`,
  'bookables.assign': sentence`assigned {thing}[ to {assigned}]`,
  'bookables.create': sentence`added {thing}[ in {location}]`,
  'bookables.delete': sentence`deleted {thing}`,
  'bookables.edit': chooseStatus,
  'bookables.import': sentence`imported desks, rooms and parking[ into {location}][ from {filename}]: {importedBookables}`,
  'bookables.set-position': choosePresence('position_x', {
    added: sentence`placed {thing} on the floor plan`,
    changed: sentence`moved {thing} on the floor plan`,
    removed: sentence`took {thing} off the floor plan`,
  }),
  'bookables.set-rules': sentence`changed the rules of {thing}`,
  'bookables.unassign': sentence`ended the assignment of {thing}[ to {unassigned}]`,
  'bookables.unassign-all': sentence`ended the assignment of {thing}[ to {unassigned}]`,
  'bookables.update': chooseStatus,
  'bookings.check-in': [
    sentence`checked in to the booking of {what} for {whom}, {when}`,
    sentence`checked in to booking {id}`,
  ],
  'bookings.clear': ({ after }) => [
    isKnown(after)
      ? sentence`shortened the booking of {what} for {whom}, {when}, because of a conflict`
      : sentence`cancelled the booking of {what} for {whom}, {when}, because of a conflict`,
    sentence`cancelled booking {id}, because of a conflict`,
  ],
  'bookings.create': [sentence`booked {what} for {whom}, {when}`, sentence`created booking {id}`],
  'bookings.delete': [
    sentence`cancelled the booking of {what} for {whom}, {when}`,
    sentence`cancelled booking {id}`,
  ],
  'bookings.move': (args) =>
    isKnown(args.before) && isKnown(args.after)
      ? chooseChange(args)
      : [sentence`moved the booking of {what} for {whom}`, sentence`moved booking {id}`],
  'bookings.release': chooseRelease,
  'bookings.update': (args) =>
    isKnown(args.before) && isKnown(args.after)
      ? chooseChange(args)
      : [sentence`changed the booking of {what} for {whom}`, sentence`changed booking {id}`],
  'booking_requests.approve': [
    sentence`approved the request for {what} by {whom}, {when}`,
    sentence`approved booking request {id}`,
  ],
  'booking_requests.create': [
    sentence`requested {what} for {whom}, {when}`,
    sentence`created booking request {id}`,
  ],
  'booking_requests.decline': [
    sentence`declined the request for {what} by {whom}, {when}[: {declineReason}]`,
    sentence`declined booking request {id}`,
  ],
  'booking_requests.lapse': [
    sentence`let the request for {what} by {whom}, {when}, lapse`,
    sentence`let booking request {id} lapse`,
  ],
  'booking_requests.release': [
    sentence`released {what}, which {whom} had requested, {when}`,
    sentence`released booking request {id}`,
  ],
  'booking_requests.withdraw': [
    sentence`withdrew the request for {what} by {whom}, {when}`,
    sentence`withdrew booking request {id}`,
  ],
  'buildings.create': sentence`created the building {name}`,
  'buildings.delete': sentence`deleted the building {name}`,
  'buildings.set-rules': sentence`changed the rules of {thing}`,
  'buildings.update': sentence`changed the building {name}`,
  'calendars.create': sentence`created a calendar address[ of {calendarOf}]`,
  'calendars.delete': sentence`revoked a calendar address[ of {calendarOf}]`,
  'desk_codes.make': sentence`made QR codes[ for {location}]`,
  'desk_codes.renew': sentence`renewed the QR code[ of {newRoom}]`,
  'events.cancel': sentence`cancelled the meeting {name}[, {oldEventTime}]`,
  'events.check-in': [
    sentence`checked in to {rooms} for the meeting {name}`,
    sentence`checked in to the rooms for the meeting {name}`,
  ],
  'events.clear-room': [
    sentence`removed {oldRoom} from the meeting {name} because of a conflict`,
    sentence`removed a room from the meeting {name} because of a conflict`,
  ],
  'events.create': sentence`created the meeting {name}[, {newEventTime}]`,
  'events.move-room': [
    sentence`moved the meeting {name} from {oldRoom} to {newRoom}`,
    sentence`moved the meeting {name} to another room`,
  ],
  'events.release': [
    sentence`released {newRoom} of the meeting {name}, because nobody checked in`,
    sentence`released a room of the meeting {name}, because nobody checked in`,
  ],
  'events.replace': ({ before, after, context }) =>
    formatSpan(before['during'], context.zone) === formatSpan(after['during'], context.zone)
      ? sentence`changed the meeting {name}`
      : [
          sentence`moved the meeting {name} from {oldEventTime} to {newEventTime}`,
          sentence`changed the meeting {name}`,
        ],
  'groups.create': sentence`created the group {name}`,
  'groups.delete': sentence`deleted the group {name}`,
  'groups.set-members': sentence`changed who is in the group {name}[: {members}]`,
  'groups.update': sentence`changed the group {name}`,
  'locations.create': sentence`added {thing}[ in {building}]`,
  'locations.delete': sentence`deleted {thing}[ in {building}]`,
  'locations.set-floor-plan': choosePresence('floor_plan_type', {
    added: sentence`uploaded the floor plan of {thing}`,
    changed: sentence`replaced the floor plan of {thing}`,
    removed: sentence`removed the floor plan of {thing}`,
  }),
  'locations.set-rules': sentence`changed the rules of {thing}`,
  'locations.update': sentence`changed {thing}`,
  'people.choose': sentence`chose what colleagues see of them and which mails they get`,
  'people.create-sign-in-link': sentence`created a link to sign in for person {id}`,
  'screens.create': sentence`set up the screen {name}`,
  'screens.renew-address': sentence`gave the screen {name} a new address`,
  'screens.revoke': sentence`switched off the screen {name}`,
  'screens.update': sentence`changed the screen {name}`,
  'series.create': sentence`created a series of bookings[, {repeat}]`,
  'series.delete': sentence`ended series {id} of bookings[, {repeat}]`,
  'tokens.create': sentence`created the token {name}`,
  'tokens.revoke': sentence`revoked the token {name}`,
  'tokens.rotate': sentence`created a new secret for the token {name}[; the old one works for {overlap}]`,
  'users.create': sentence`added {thing}`,
  'users.deactivate': sentence`deactivated {thing}`,
  'users.edit': sentence`changed {thing}`,
  'users.erase': sentence`erased person {id}[, and cancelled {cancelledBookings}]`,
  'users.import': sentence`imported people[ from {filename}]: {importedPeople}`,
  'users.restore': sentence`restored {thing}`,
  'visitors.arrive': sentence`recorded that a visitor has arrived[ for {visit}]`,
  'visitors.tell-host': sentence`told the host that a visitor has arrived[ for {visit}]`,
  'visitors.undo-arrival': sentence`recorded that a visitor has not arrived[ for {visit}]`,
  'visitors.walk-in': sentence`recorded a visitor whom nobody had announced[ in {visitedBuilding}]`,
  'waits.accept': [
    sentence`accepted the offer of {offered} to {whom}, {when}`,
    sentence`accepted offer {id} of the waitlist`,
  ],
  'waits.cancel': [
    sentence`took {whom} off the waitlist for {waited}, {when}`,
    sentence`removed entry {id} of the waitlist`,
  ],
  'waits.create': [
    sentence`put {whom} on the waitlist for {waited}, {when}`,
    sentence`created entry {id} of the waitlist`,
  ],
  'waits.decline': [
    sentence`declined the offer of {offered} to {whom}, {when}`,
    sentence`declined offer {id} of the waitlist`,
  ],
  'waits.end': [
    sentence`took {whom}, who has a place now, off the waitlist for {waited}, {when}`,
    sentence`took entry {id} off the waitlist`,
  ],
  'waits.miss': [
    sentence`let the offer of {offered} to {whom}, {when}, lapse`,
    sentence`let offer {id} of the waitlist lapse`,
  ],
  'waits.offer': [sentence`offered {offered} to {whom}, {when}`, sentence`made offer {id} of the waitlist`],
  'waits.release': [
    sentence`withdrew the offer of {offered} to {whom}, {when}`,
    sentence`withdrew offer {id} of the waitlist`,
  ],
  'webhooks.create': sentence`created the webhook {name}`,
  'webhooks.delete': sentence`deleted the webhook {name}`,
  'webhooks.disable': sentence`switched off the webhook {name}[: {reason}]`,
  'webhooks.rotate-secret': sentence`created a new secret for the webhook {name}`,
  'webhooks.send-again': sentence`resent a delivery to the webhook {name}`,
  'webhooks.send-failed': [
    sentence`resent {failedDeliveries} to the webhook {name}`,
    sentence`resent failed deliveries to the webhook {name}`,
  ],
  'webhooks.test': sentence`sent a test to the webhook {name}`,
  'webhooks.update': sentence`changed the webhook {name}`,
}

/** Whether the row of a booking contains what was booked. */
export const isKnown = (row: Row) => row['bookable_id'] !== undefined

function choosePresence(
  field: string,
  { added, changed, removed }: Record<'added' | 'changed' | 'removed', Sentence>,
) {
  const isThere = (row: Row) => (row[field] ?? null) !== null
  return ({ before, after }: AuditArgs) => (isThere(after) ? (isThere(before) ? changed : added) : removed)
}

function chooseStatus({ before, after }: AuditArgs): Templates {
  if (before['status'] === after['status']) return sentence`changed {thing}`
  return after['status'] === BOOKABLE_STATUSES.blocked
    ? sentence`blocked {thing}[ and changed it: {otherChanges}]`
    : sentence`unblocked {thing}[ and changed it: {otherChanges}]`
}

function chooseChange({ before, after }: AuditArgs): Templates {
  const isSameTime = before['during'] === after['during']
  if (before['bookable_id'] !== after['bookable_id'])
    return isSameTime
      ? sentence`moved the booking for {whom} from {oldWhat} to {what}, {when}`
      : sentence`moved the booking for {whom} from {oldWhat}, {oldWhen}, to {what}, {when}`
  if (isSameTime) return sentence`changed the booking of {what} for {whom}, {when}`
  const [was, is] = [parseSpan(before['during']), parseSpan(after['during'])]
  if (was?.from !== is?.from) return sentence`moved the booking of {what} for {whom} from {oldWhen} to {when}`
  return is?.to === undefined || (was?.to !== undefined && is.to > was.to)
    ? sentence`extended the booking of {what} for {whom} to {when}`
    : sentence`shortened the booking of {what} for {whom} to {when}`
}

/** Released by a timer because nobody checked in, or by an administrator because a user has left. */
function chooseRelease({ after }: AuditArgs): Templates {
  if ((after['released_at'] ?? null) !== null)
    return [
      sentence`released the booking of {what} for {whom}, {oldWhen}, because nobody checked in`,
      sentence`released booking {id}, {oldWhen}, because nobody checked in`,
    ]
  return [
    isKnown(after)
      ? sentence`ended the booking of {what} for {whom}, {when}, because they were deactivated`
      : sentence`cancelled the booking of {what} for {whom}, {when}, because they were deactivated`,
    sentence`cancelled booking {id}, because they were deactivated`,
  ]
}

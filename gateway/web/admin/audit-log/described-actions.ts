// Every action of the audit log: its name, and the sentences that describe an entry. If an action is missing
// here, the code does not compile. A template is a whole sentence, because word order differs between
// languages; values.ts provides the values. Rows of erased users may be empty, and older releases recorded
// less. So a part in [brackets] is left out unless its values are known, and of several templates, the first
// one whose values are known is used.
import type { AuditAction } from '../../../../shared/audit/audit-actions.ts'
import { type Sentence, sentence } from '../../locales/translate.ts'
import {
  chooseAwayRelease,
  chooseClearTemplates,
  chooseDayRelease,
  chooseFloorPlan,
  chooseMove,
  choosePosition,
  chooseRelease,
  chooseReplace,
  chooseStatus,
  chooseUpdate,
  type Templates,
} from './choose-templates.ts'
import type { AuditArgs } from './things.ts'

type DescribedAction =
  | [name: Sentence, template: Sentence, ...fallbacks: Sentence[]]
  | [name: Sentence, choose: (args: AuditArgs) => Templates]

export const AUDIT_ACTIONS: Record<AuditAction, DescribedAction> = {
  'absences.create': [
    sentence`Recorded an absence`,
    sentence`recorded that {whom} is away {days}`,
    sentence`recorded absence {id}`,
  ],
  'absences.delete': [
    sentence`Deleted an absence`,
    sentence`deleted the absence of {whom} {days}`,
    sentence`deleted absence {id}`,
  ],
  'admins.create': [
    sentence`Created an administrator`,
    sentence`created the administrator {name}[ as {newRole}]`,
  ],
  'admins.create-link': [
    sentence`Created a password reset link`,
    sentence`created a password reset link for {thing}`,
  ],
  'admins.disable': [sentence`Disabled an administrator`, sentence`disabled the administrator {name}`],
  'admins.enable': [sentence`Enabled an administrator`, sentence`enabled the administrator {name} again`],
  'admins.invite': [
    sentence`Invited an administrator`,
    sentence`invited {thing} as {newRole}`,
    sentence`invited the administrator {name}`,
  ],
  'admins.link': [
    sentence`Linked an administrator to the provider`,
    sentence`linked the administrator {name} to an account of the provider`,
  ],
  'admins.reset-password': [sentence`Set a new password`, sentence`set a new password for {thing}`],
  'admins.set-report-mail': [
    sentence`Changed the setting for the monthly report`,
    sentence`changed whether to get the monthly report by e-mail`,
  ],
  'admins.set-role': [
    sentence`Changed a role`,
    sentence`changed the role of {thing}[ from {oldRole}][ to {newRole}]`,
  ],
  'bookables.assign': [sentence`Assigned a desk`, sentence`assigned {thing}[ to {assigned}]`],
  'bookables.create': [sentence`Added a desk or room`, sentence`added {thing}[ in {location}]`],
  'bookables.delete': [sentence`Deleted a desk or room`, sentence`deleted {thing}`],
  'bookables.edit': [sentence`Changed a desk or room`, chooseStatus],
  'bookables.import': [
    sentence`Imported desks and rooms`,
    sentence`imported desks, rooms and parking[ into {location}][ from {filename}]: {importedBookables}`,
  ],
  'bookables.link-calendar': [
    sentence`Linked a room to a calendar`,
    sentence`linked {thing} to a calendar[ {roomCalendar}]`,
  ],
  'bookables.set-position': [sentence`Placed on the floor plan`, choosePosition],
  'bookables.set-rules': [sentence`Changed rules of a desk or room`, sentence`changed the rules of {thing}`],
  'bookables.unassign': [
    sentence`Ended an assignment`,
    sentence`ended the assignment of {thing}[ to {unassigned}]`,
  ],
  'bookables.unassign-all': [
    sentence`Ended all assignments`,
    sentence`ended the assignment of {thing}[ to {unassigned}]`,
  ],
  'bookables.unlink-calendar': [
    sentence`Unlinked a room from a calendar`,
    sentence`unlinked {thing} from a calendar[ {roomCalendar}]`,
  ],
  'bookables.update': [sentence`Changed a desk or room through the API`, chooseStatus],
  'bookings.check-in': [
    sentence`Checked in to a booking`,
    sentence`checked in to the booking of {what} for {whom}, {when}`,
    sentence`checked in to booking {id}`,
  ],
  'bookings.clear': [sentence`Cleared a conflicting booking`, chooseClearTemplates],
  'bookings.create': [
    sentence`Created a booking`,
    sentence`booked {what} for {whom}, {when}`,
    sentence`created booking {id}`,
  ],
  'bookings.delete': [
    sentence`Cancelled a booking`,
    sentence`cancelled the booking of {what} for {whom}, {when}`,
    sentence`cancelled booking {id}`,
  ],
  'bookings.move': [sentence`Moved a booking`, chooseMove],
  'bookings.release': [sentence`Released a booking`, chooseRelease],
  'bookings.release-away': [sentence`Released a booking for an absence`, chooseAwayRelease],
  'bookings.release-day': [sentence`Released a booking for another choice of the day`, chooseDayRelease],
  'bookings.update': [sentence`Changed a booking`, chooseUpdate],
  'booking_requests.approve': [
    sentence`Approved a booking request`,
    sentence`approved the request for {what} by {whom}, {when}`,
    sentence`approved booking request {id}`,
  ],
  'booking_requests.create': [
    sentence`Requested a booking`,
    sentence`requested {what} for {whom}, {when}`,
    sentence`created booking request {id}`,
  ],
  'booking_requests.decline': [
    sentence`Declined a booking request`,
    sentence`declined the request for {what} by {whom}, {when}[: {declineReason}]`,
    sentence`declined booking request {id}`,
  ],
  'booking_requests.lapse': [
    sentence`Booking request lapsed`,
    sentence`let the request for {what} by {whom}, {when}, lapse`,
    sentence`let booking request {id} lapse`,
  ],
  'booking_requests.release': [
    sentence`Released a booking request`,
    sentence`released {what}, which {whom} had requested, {when}`,
    sentence`released booking request {id}`,
  ],
  'booking_requests.reopen': [
    sentence`Undid the approval of a booking request`,
    sentence`undid the approval of the request for {what} by {whom}, {when}`,
    sentence`undid the approval of booking request {id}`,
  ],
  'booking_requests.withdraw': [
    sentence`Withdrew a booking request`,
    sentence`withdrew the request for {what} by {whom}, {when}`,
    sentence`withdrew booking request {id}`,
  ],
  'buildings.create': [sentence`Created a building`, sentence`created the building {name}`],
  'buildings.delete': [sentence`Deleted a building`, sentence`deleted the building {name}`],
  'buildings.set-rules': [sentence`Changed rules of a building`, sentence`changed the rules of {thing}`],
  'buildings.update': [sentence`Changed a building`, sentence`changed the building {name}`],
  'calendars.create': [
    sentence`Created a calendar address`,
    sentence`created a calendar address[ of {calendarOf}]`,
  ],
  'calendars.delete': [
    sentence`Revoked a calendar address`,
    sentence`revoked a calendar address[ of {calendarOf}]`,
  ],
  'desk_codes.make': [sentence`Created QR codes for a floor`, sentence`created QR codes[ for {location}]`],
  'desk_codes.renew': [
    sentence`Renewed the QR code of a desk or room`,
    sentence`renewed the QR code[ of {newRoom}]`,
  ],
  'events.answer': [
    sentence`Answered an invitation`,
    sentence`answered the invitation to {name} for {attendee} with “{answer}”`,
    sentence`answered the invitation to the meeting {name}`,
  ],
  'events.cancel': [sentence`Cancelled a meeting`, sentence`cancelled the meeting {name}[, {oldEventTime}]`],
  'events.check-in': [
    sentence`Checked in to a meeting`,
    sentence`checked in to {rooms} for the meeting {name}`,
    sentence`checked in to the rooms for the meeting {name}`,
  ],
  'events.clear-room': [
    sentence`Removed a room from a meeting`,
    sentence`removed {oldRoom} from the meeting {name} because of a conflict`,
    sentence`removed a room from the meeting {name} because of a conflict`,
  ],
  'events.create': [sentence`Created a meeting`, sentence`created the meeting {name}[, {newEventTime}]`],
  'events.move-room': [
    sentence`Moved a meeting to another room`,
    sentence`moved the meeting {name} from {oldRoom} to {newRoom}`,
    sentence`moved the meeting {name} to another room`,
  ],
  'events.release': [
    sentence`Released a room of a meeting`,
    sentence`released {newRoom} of the meeting {name}, because nobody checked in`,
    sentence`released a room of the meeting {name}, because nobody checked in`,
  ],
  'events.replace': [sentence`Changed a meeting`, chooseReplace],
  'groups.create': [sentence`Created a group`, sentence`created the group {name}`],
  'groups.delete': [sentence`Deleted a group`, sentence`deleted the group {name}`],
  'groups.set-leads': [
    sentence`Changed who can set team days`,
    sentence`changed who can set the team days of the group {name}`,
  ],
  'groups.set-members': [
    sentence`Changed members of a group`,
    sentence`changed the members of the group {name}[: {members}]`,
  ],
  'groups.update': [sentence`Changed a group`, sentence`changed the group {name}`],
  'loans.create': [
    sentence`Lent a desk or room`,
    sentence`lent {what} of {whom} {days}`,
    sentence`recorded loan {id}`,
  ],
  'loans.delete': [
    sentence`Ended a loan`,
    sentence`ended the loan of {what} of {whom} {days}`,
    sentence`deleted loan {id}`,
  ],
  'locations.create': [sentence`Added a floor`, sentence`added {thing}[ in {building}]`],
  'locations.delete': [sentence`Deleted a floor`, sentence`deleted {thing}[ in {building}]`],
  'locations.set-floor-plan': [sentence`Changed a floor plan`, chooseFloorPlan],
  'locations.set-rules': [sentence`Changed rules of a floor`, sentence`changed the rules of {thing}`],
  'locations.update': [sentence`Changed a floor`, sentence`changed {thing}`],
  'people.choose': [
    sentence`Changed their privacy and e-mail settings`,
    sentence`changed their privacy and e-mail settings`,
  ],
  'people.create-sign-in-link': [
    sentence`Created a sign-in link`,
    sentence`created a sign-in link for person {id}`,
  ],
  'people.set-picture': [sentence`Changed their picture`, sentence`changed their picture`],
  'screens.create': [sentence`Set up a screen`, sentence`set up the screen {name}`],
  'screens.renew-address': [
    sentence`Gave a screen a new address`,
    sentence`gave the screen {name} a new address`,
  ],
  'screens.revoke': [sentence`Switched off a screen`, sentence`switched off the screen {name}`],
  'screens.update': [sentence`Changed a screen`, sentence`changed the screen {name}`],
  'series.create': [sentence`Created a series`, sentence`created a series[, {repeat}]`],
  'series.delete': [sentence`Ended a series`, sentence`ended series {id}[, {repeat}]`],
  'team_days.create': [sentence`Added a team day`, sentence`added team day {id}`],
  'team_days.delete': [sentence`Deleted a team day`, sentence`deleted team day {id}`],
  'tokens.create': [sentence`Created a token`, sentence`created the token {name}`],
  'tokens.revoke': [sentence`Revoked a token`, sentence`revoked the token {name}`],
  'tokens.rotate': [
    sentence`Created a new secret for a token`,
    sentence`created a new secret for the token {name}[; the old one works for {overlap}]`,
  ],
  'users.create': [sentence`Added a person`, sentence`added {thing}`],
  'users.deactivate': [sentence`Deactivated a person`, sentence`deactivated {thing}`],
  'users.edit': [sentence`Changed a person`, sentence`changed {thing}`],
  'users.erase': [
    sentence`Erased a person`,
    sentence`erased person {id}[, and cancelled {cancelledBookings}]`,
  ],
  'users.import': [sentence`Imported people`, sentence`imported people[ from {filename}]: {importedPeople}`],
  'users.restore': [sentence`Restored a person`, sentence`restored {thing}`],
  'visitors.arrive': [
    sentence`Recorded an arrival`,
    sentence`recorded that a visitor has arrived[ for {visit}]`,
  ],
  'visitors.tell-host': [
    sentence`Notified a host`,
    sentence`notified the host that a visitor has arrived[ for {visit}]`,
  ],
  'visitors.undo-arrival': [
    sentence`Marked a visitor as not arrived`,
    sentence`recorded that a visitor has not arrived[ for {visit}]`,
  ],
  'visitors.walk-in': [
    sentence`Recorded a walk-in`,
    sentence`recorded a walk-in visitor[ in {visitedBuilding}]`,
  ],
  'waits.accept': [
    sentence`Accepted a waitlist offer`,
    sentence`accepted the offer of {offered} to {whom}, {when}`,
    sentence`accepted waitlist offer {id}`,
  ],
  'waits.cancel': [
    sentence`Left the waitlist`,
    sentence`took {whom} off the waitlist for {waited}, {when}`,
    sentence`removed waitlist entry {id}`,
  ],
  'waits.create': [
    sentence`Joined the waitlist`,
    sentence`put {whom} on the waitlist for {waited}, {when}`,
    sentence`created waitlist entry {id}`,
  ],
  'waits.decline': [
    sentence`Declined a waitlist offer`,
    sentence`declined the offer of {offered} to {whom}, {when}`,
    sentence`declined waitlist offer {id}`,
  ],
  'waits.end': [
    sentence`Got a place and left the waitlist`,
    sentence`took {whom}, who has a place now, off the waitlist for {waited}, {when}`,
    sentence`took waitlist entry {id} off the list`,
  ],
  'waits.miss': [
    sentence`Waitlist offer lapsed`,
    sentence`let the offer of {offered} to {whom}, {when}, lapse`,
    sentence`let waitlist offer {id} lapse`,
  ],
  'waits.offer': [
    sentence`Offered a place to the waitlist`,
    sentence`offered {offered} to {whom}, {when}`,
    sentence`made waitlist offer {id}`,
  ],
  'waits.release': [
    sentence`Withdrew a waitlist offer`,
    sentence`withdrew the offer of {offered} to {whom}, {when}`,
    sentence`withdrew waitlist offer {id}`,
  ],
  'webhooks.create': [sentence`Created a webhook`, sentence`created the webhook {name}`],
  'webhooks.delete': [sentence`Deleted a webhook`, sentence`deleted the webhook {name}`],
  'webhooks.disable': [
    sentence`Switched off a webhook`,
    sentence`switched off the webhook {name}[: {reason}]`,
  ],
  'webhooks.rotate-secret': [
    sentence`Created a new secret for a webhook`,
    sentence`created a new secret for the webhook {name}`,
  ],
  'webhooks.send-again': [sentence`Resent a delivery`, sentence`resent a delivery to the webhook {name}`],
  'webhooks.send-failed': [
    sentence`Resent failed deliveries`,
    sentence`resent {failedDeliveries} to the webhook {name}`,
    sentence`resent failed deliveries to the webhook {name}`,
  ],
  'webhooks.test': [sentence`Sent a test to a webhook`, sentence`sent a test to the webhook {name}`],
  'webhooks.update': [sentence`Changed a webhook`, sentence`changed the webhook {name}`],
}

// What an entry of the audit log says, as a sentence: what was done to what, by their names, and only what has changed.
import { type AuditAction, isAuditAction } from '../../../shared/contracts/administrators/audit-actions.ts'
import { type Html, html } from '../../http/html.ts'
import { tHtml } from '../language/translate.ts'
import * as access from './access-sentences.ts'
import * as bookings from './booking-sentences.ts'
import { showChanges } from './differences.ts'
import * as events from './event-sentences.ts'
import { sayBookablesImported } from './import-sentences.ts'
import { fieldsOf } from './paths.ts'
import * as people from './people-sentences.ts'
import * as places from './place-sentences.ts'
import type { AuditEntry } from './queries.ts'
import { type Said, showName, showThing, type Tell, type Told, withChanges } from './sentence-parts.ts'

/** Without its end, and without who did it, who stands beside it. */
export function showSentence(said: Said, entry: AuditEntry): Html {
  const told = { said, entry, before: fieldsOf(entry.before), after: fieldsOf(entry.after) }
  return isAuditAction(entry.action) ? SENTENCES[entry.action](told) : sayUnknown(told)
}

const changesOf = ({ said, entry }: Told) => showChanges(said, entry)

const SENTENCES: Record<AuditAction, Tell> = {
  'admins.create': access.sayAdminCreated,
  'admins.create-link': (told) => tHtml`created a link to a new password for ${showThing(told)}`,
  'admins.disable': (told) => tHtml`disabled the administrator ${showName(told)}`,
  'admins.enable': (told) => tHtml`enabled the administrator ${showName(told)} again`,
  'admins.invite': access.sayAdminInvited,
  'admins.link': (told) => tHtml`linked the administrator ${showName(told)} to an account of the provider`,
  'admins.reset-password': (told) => tHtml`set a new password for ${showThing(told)}`,
  'admins.set-role': access.sayRole,
  'bookables.assign': places.sayAssigned,
  'bookables.create': places.sayBookableAdded,
  'bookables.delete': (told) => tHtml`deleted ${showThing(told)}`,
  'bookables.edit': places.sayBookableChanged,
  'bookables.import': sayBookablesImported,
  'bookables.set-position': places.sayPosition,
  'bookables.set-rules': places.sayRules,
  'bookables.unassign': places.sayUnassigned,
  'bookables.unassign-all': places.sayUnassigned,
  'bookables.update': places.sayBookableChanged,
  'bookings.check-in': bookings.sayCheckedIn,
  'bookings.clear': bookings.sayBookingCleared,
  'bookings.create': bookings.sayBooked,
  'bookings.delete': bookings.sayBookingCancelled,
  'bookings.move': bookings.sayBookingMoved,
  'bookings.release': bookings.sayBookingReleased,
  'bookings.update': bookings.sayBookingChanged,
  'buildings.create': (told) => tHtml`created the building ${showName(told)}`,
  'buildings.delete': (told) => tHtml`deleted the building ${showName(told)}`,
  'buildings.set-rules': places.sayRules,
  'buildings.update': (told) => withChanges(tHtml`changed the building ${showName(told)}`, changesOf(told)),
  'calendars.create': access.sayCalendarCreated,
  'calendars.delete': access.sayCalendarTakenBack,
  'events.cancel': events.sayEventCancelled,
  'events.check-in': events.sayEventCheckedIn,
  'events.clear-room': events.sayRoomCleared,
  'events.create': events.sayEventCreated,
  'events.move-room': events.sayRoomMoved,
  'events.release': events.sayRoomReleased,
  'events.replace': events.sayEventChanged,
  'locations.create': places.sayLocationAdded,
  'locations.delete': places.sayLocationDeleted,
  'locations.set-floor-plan': places.sayFloorPlan,
  'locations.set-rules': places.sayRules,
  'locations.update': (told) => withChanges(tHtml`changed ${showThing(told)}`, changesOf(told)),
  'series.create': events.saySeriesCreated,
  'series.delete': events.saySeriesDeleted,
  'tokens.create': (told) => tHtml`created the token ${showName(told)}`,
  'tokens.revoke': (told) => tHtml`revoked the token ${showName(told)}`,
  'tokens.rotate': access.sayRotated,
  'users.create': (told) => tHtml`added ${showThing(told)}`,
  'users.deactivate': (told) => tHtml`deactivated ${showThing(told)}`,
  'users.edit': (told) => withChanges(tHtml`changed ${showThing(told)}`, changesOf(told)),
  'users.erase': people.sayErased,
  'users.import': people.sayImported,
  'users.restore': (told) => tHtml`restored ${showThing(told)}`,
  'webhooks.create': (told) => tHtml`created the webhook ${showName(told)}`,
  'webhooks.delete': (told) => tHtml`deleted the webhook ${showName(told)}`,
  'webhooks.disable': access.sayWebhookDisabled,
  'webhooks.rotate-secret': (told) => tHtml`created a new secret for the webhook ${showName(told)}`,
  'webhooks.send-again': (told) => tHtml`sent a delivery again to the webhook ${showName(told)}`,
  'webhooks.send-failed': access.sayFailedSentAgain,
  'webhooks.test': (told) => tHtml`sent a test to the webhook ${showName(told)}`,
  'webhooks.update': (told) => withChanges(tHtml`changed the webhook ${showName(told)}`, changesOf(told)),
}

// Of a release that had other actions: its name is all that is known of it.
function sayUnknown(told: Told): Html {
  const verb = told.entry.action.slice(told.entry.action.indexOf('.') + 1).replaceAll('-', ' ')
  return withChanges(html`${verb} ${showThing(told)}`, changesOf(told))
}

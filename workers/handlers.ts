// Maps jobs to handlers; one without a handler does not compile. Frequent jobs have a batch handler too.
import type { JobName } from '../shared/jobs.ts'
import type { Handler } from './context.ts'
import { signInAdmin } from './handlers/admin-sign-ins.ts'
import { createAdminLink, disableAdmin, enableAdmin, inviteAdmin, setAdminRole } from './handlers/admins.ts'
import { assignBookable, unassignBookable, unassignEverybody } from './handlers/bookables/assignees.ts'
import { editBookable, updateBookable } from './handlers/bookables/changes.ts'
import { createBookables } from './handlers/bookables/creations.ts'
import { deleteBookables } from './handlers/bookables/deletions.ts'
import {
  applyBookableImport,
  exportRefusedBookables,
  planBookableImport,
} from './handlers/bookables/imports.ts'
import { relocateBookables, setStatus, setTags } from './handlers/bookables/many.ts'
import { assignMany, unassignMany } from './handlers/bookables/many-assignees.ts'
import { setPosition, setPositions } from './handlers/bookables/positions.ts'
import { createBookingBatch } from './handlers/bookings/batches.ts'
import { deleteBooking, updateBooking } from './handlers/bookings/bookings.ts'
import { checkInBooking } from './handlers/bookings/check-ins.ts'
import { checkBooking } from './handlers/bookings/checked-bookings.ts'
import { createBookings } from './handlers/bookings/creations.ts'
import { moveBooking } from './handlers/bookings/moves.ts'
import { releaseBookings, releaseInPieces } from './handlers/bookings/releases.ts'
import { createSeries, deleteSeries } from './handlers/bookings/series.ts'
import { createCalendar, deleteCalendar } from './handlers/calendars.ts'
import { checkInEvent } from './handlers/events/check-ins.ts'
import { cancelEvent, createEvent, deleteEvent, replaceEvent } from './handlers/events/events.ts'
import { createBuilding, deleteBuilding, updateBuilding } from './handlers/places/buildings.ts'
import { copyLocation } from './handlers/places/location-copies.ts'
import { createLocation, deleteLocation, setFloorPlan, updateLocation } from './handlers/places/locations.ts'
import { exportReport } from './handlers/reports/exports.ts'
import { setRulesOf } from './handlers/rules/set-rules.ts'
import { singleWrite } from './handlers/single-write.ts'
import { createToken, revokeToken, rotateToken } from './handlers/tokens.ts'
import { exportRefused, exportUsers } from './handlers/users/exports.ts'
import { applyImportPlan, importUsers, planImport } from './handlers/users/imports.ts'
import { createUser, deactivateUsers, editUser, eraseUser, restoreUsers } from './handlers/users/users.ts'
import { sendAgain, sendFailed, sendTest } from './handlers/webhooks/webhook-deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from './handlers/webhooks/webhooks.ts'

export const handlers: { [Name in JobName]: Handler<Name> } = {
  'admins.invite': inviteAdmin,
  'admins.create-link': createAdminLink,
  'admins.set-role': setAdminRole,
  'admins.disable': disableAdmin,
  'admins.enable': enableAdmin,
  'admins.sign-in': signInAdmin,
  'bookings.create': singleWrite(createBookings),
  'bookings.check': checkBooking,
  'bookings.create-batch': createBookingBatch,
  'series.create': createSeries,
  'series.delete': deleteSeries,
  'bookings.create-open': singleWrite(createBookings),
  'bookings.release': releaseBookings,
  'bookings.release-all': releaseInPieces,
  'bookings.update': updateBooking,
  'bookings.move': moveBooking,
  'bookings.delete': deleteBooking,
  'bookings.check-in': checkInBooking,
  'bookables.update': updateBookable,
  'bookables.create': createBookables,
  'bookables.edit': editBookable,
  'bookables.set-position': setPosition,
  'bookables.set-positions': setPositions,
  'bookables.assign': assignBookable,
  'bookables.unassign': unassignBookable,
  'bookables.unassign-all': unassignEverybody,
  'bookables.delete': deleteBookables,
  'bookables.plan-import': planBookableImport,
  'bookables.apply-import-plan': applyBookableImport,
  'bookables.export-refused': exportRefusedBookables,
  'bookables.set-status': setStatus,
  'bookables.set-tags': setTags,
  'bookables.relocate': relocateBookables,
  'bookables.assign-many': assignMany,
  'bookables.unassign-many': unassignMany,
  'bookables.set-rules': setRulesOf('bookables'),
  'buildings.create': createBuilding,
  'buildings.update': updateBuilding,
  'buildings.delete': deleteBuilding,
  'buildings.set-rules': setRulesOf('buildings'),
  'calendars.create': createCalendar,
  'calendars.delete': deleteCalendar,
  'events.create': createEvent,
  'events.replace': replaceEvent,
  'events.cancel': cancelEvent,
  'events.check-in': checkInEvent,
  'events.delete': deleteEvent,
  'locations.create': createLocation,
  'locations.copy': copyLocation,
  'locations.update': updateLocation,
  'locations.delete': deleteLocation,
  'locations.set-floor-plan': setFloorPlan,
  'locations.set-rules': setRulesOf('locations'),
  'reports.export': exportReport,
  'tokens.create': createToken,
  'tokens.revoke': revokeToken,
  'tokens.rotate': rotateToken,
  'users.create': createUser,
  'users.edit': editUser,
  'users.deactivate': deactivateUsers,
  'users.restore': restoreUsers,
  'users.erase': eraseUser,
  'users.import': importUsers,
  'users.plan-import': planImport,
  'users.apply-import-plan': applyImportPlan,
  'users.export': exportUsers,
  'users.export-refused': exportRefused,
  'webhooks.create': createWebhook,
  'webhooks.update': updateWebhook,
  'webhooks.delete': deleteWebhook,
  'webhooks.rotate-secret': rotateWebhookSecret,
  'webhook-deliveries.test': sendTest,
  'webhook-deliveries.send-again': sendAgain,
  'webhook-deliveries.send-failed': sendFailed,
}

export const batchHandlers = {
  'bookings.create': createBookings,
  'bookings.create-open': createBookings,
} satisfies Partial<Record<JobName, unknown>>

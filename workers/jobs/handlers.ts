// Maps jobs to handlers; one without a handler does not compile. Frequent jobs have a batch handler too.
import type { JobName } from '../../shared/jobs/jobs.ts'
import type { Handler } from '../runtime/context.ts'
import { signInAdmin } from './administrators/admin-sign-ins.ts'
import {
  createAdminLink,
  disableAdmin,
  enableAdmin,
  inviteAdmin,
  setAdminRole,
} from './administrators/admins.ts'
import {
  assignBookable,
  assignMany,
  unassignBookable,
  unassignEverybody,
  unassignMany,
} from './bookables/assignees.ts'
import { editBookable, updateBookable } from './bookables/changes.ts'
import { createBookables } from './bookables/creations.ts'
import { deleteBookables } from './bookables/deletions.ts'
import { applyBookableImport, planBookableImport } from './bookables/imports.ts'
import { relocateBookables, setStatus, setTags } from './bookables/many.ts'
import { setPosition, setPositions } from './bookables/positions.ts'
import { createBookingBatch } from './bookings/batches.ts'
import { deleteBooking, updateBooking } from './bookings/bookings.ts'
import { checkInBooking } from './bookings/check-ins.ts'
import { checkBooking } from './bookings/checked-bookings.ts'
import { createBookings } from './bookings/creations.ts'
import { moveBooking } from './bookings/moves.ts'
import { releaseBookings, releaseInPieces } from './bookings/releases.ts'
import { createSeries, deleteSeries } from './bookings/series.ts'
import { checkInEvent } from './events/check-ins.ts'
import { cancelEvent, createEvent, deleteEvent, replaceEvent } from './events/events.ts'
import { exportRefusedRows } from './exports/refused-rows.ts'
import { exportReport } from './exports/reports.ts'
import { exportUsers } from './exports/users.ts'
import { singleWrite } from './kit/single-write.ts'
import { createBuilding, deleteBuilding, updateBuilding } from './places/buildings.ts'
import { copyLocation } from './places/location-copies.ts'
import { createLocation, deleteLocation, setFloorPlan, updateLocation } from './places/locations.ts'
import { setRulesOf } from './places/set-rules.ts'
import { createCalendar, deleteCalendar } from './tokens/calendars.ts'
import { createToken, revokeToken, rotateToken } from './tokens/tokens.ts'
import { applyImportPlan, importUsers, planImport } from './users/imports.ts'
import { createUser, deactivateUsers, editUser, eraseUser, restoreUsers } from './users/users.ts'
import { sendAgain, sendFailed, sendTest } from './webhooks/webhook-deliveries.ts'
import { createWebhook, deleteWebhook, rotateWebhookSecret, updateWebhook } from './webhooks/webhooks.ts'

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
  'bookables.export-refused': exportRefusedRows('bookables'),
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
  'users.export-refused': exportRefusedRows('users'),
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

// Maps jobs to handlers; one without a handler does not compile. Frequent jobs have a batch handler too.
import type { JobName } from '../../shared/jobs/jobs.ts'
import type { Handler } from '../runtime/context.ts'
import { adminHandlers } from './administrators/admins.ts'
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
import { bookingHandlers } from './bookings/bookings.ts'
import { createBookings, newBookingHandlers } from './bookings/creations.ts'
import { releaseHandlers } from './bookings/releases.ts'
import { seriesHandlers } from './bookings/series.ts'
import { eventCheckInHandlers } from './events/check-ins.ts'
import { eventHandlers } from './events/events.ts'
import { exportRefusedRows } from './exports/refused-rows.ts'
import { exportReport } from './exports/reports.ts'
import { exportUsers } from './exports/users.ts'
import { createBuilding, deleteBuilding, updateBuilding } from './places/buildings.ts'
import { copyLocation } from './places/location-copies.ts'
import { createLocation, deleteLocation, setFloorPlan, updateLocation } from './places/locations.ts'
import { ruleHandlers } from './places/set-rules.ts'
import { calendarHandlers } from './tokens/calendars.ts'
import { tokenHandlers } from './tokens/tokens.ts'
import { applyImportPlan, importUsers, planImport } from './users/imports.ts'
import { createUser, deactivateUsers, editUser, eraseUser, restoreUsers } from './users/users.ts'
import { webhookDeliveryHandlers, webhookHandlers } from './webhooks/webhooks.ts'

export const handlers: { [Name in JobName]: Handler<Name> } = {
  ...adminHandlers,
  ...calendarHandlers,
  ...tokenHandlers,
  ...webhookHandlers,
  ...webhookDeliveryHandlers,
  ...newBookingHandlers,
  ...bookingHandlers,
  ...releaseHandlers,
  ...seriesHandlers,
  ...eventHandlers,
  ...eventCheckInHandlers,
  ...ruleHandlers,
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
  'buildings.create': createBuilding,
  'buildings.update': updateBuilding,
  'buildings.delete': deleteBuilding,
  'locations.create': createLocation,
  'locations.copy': copyLocation,
  'locations.update': updateLocation,
  'locations.delete': deleteLocation,
  'locations.set-floor-plan': setFloorPlan,
  'reports.export': exportReport,
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
}

export const batchHandlers = {
  'bookings.create': createBookings,
  'bookings.create-open': createBookings,
} satisfies Partial<Record<JobName, unknown>>

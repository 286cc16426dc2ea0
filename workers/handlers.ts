// Job name -> handler. A job without one does not compile.
import type { JobName } from '../shared/jobs.ts'
import type { Handler } from './context.ts'
import { assignBookable, unassignBookable } from './handlers/bookable-assignees.ts'
import { deleteBookables } from './handlers/bookable-deletions.ts'
import { createBookables, editBookable, placeBookable } from './handlers/bookable-edits.ts'
import { updateBookable } from './handlers/bookables.ts'
import { releaseBookings } from './handlers/booking-releases.ts'
import { createBooking, createOpenBooking, deleteBooking, updateBooking } from './handlers/bookings.ts'
import { createBuilding, deleteBuilding, updateBuilding } from './handlers/buildings.ts'
import { cancelEvent, createEvent, replaceEvent } from './handlers/events.ts'
import { createLocation, deleteLocation, setPlan, updateLocation } from './handlers/locations.ts'
import { createToken, revokeToken } from './handlers/tokens.ts'
import { createUser, deactivateUsers, editUser, restoreUsers } from './handlers/user-changes.ts'
import { exportRefused, exportUsers, importUsers } from './handlers/users.ts'

export const handlers: { [Name in JobName]: Handler<Name> } = {
  'bookings.create': createBooking,
  'bookings.create-open': createOpenBooking,
  'bookings.release': releaseBookings,
  'bookings.update': updateBooking,
  'bookings.delete': deleteBooking,
  'bookables.update': updateBookable,
  'bookables.create': createBookables,
  'bookables.edit': editBookable,
  'bookables.place': placeBookable,
  'bookables.assign': assignBookable,
  'bookables.unassign': unassignBookable,
  'bookables.delete': deleteBookables,
  'buildings.create': createBuilding,
  'buildings.update': updateBuilding,
  'buildings.delete': deleteBuilding,
  'events.create': createEvent,
  'events.replace': replaceEvent,
  'events.cancel': cancelEvent,
  'locations.create': createLocation,
  'locations.update': updateLocation,
  'locations.delete': deleteLocation,
  'locations.plan': setPlan,
  'tokens.create': createToken,
  'tokens.revoke': revokeToken,
  'users.create': createUser,
  'users.edit': editUser,
  'users.deactivate': deactivateUsers,
  'users.restore': restoreUsers,
  'users.import': importUsers,
  'users.export': exportUsers,
  'users.export-refused': exportRefused,
}

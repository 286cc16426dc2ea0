// Job name -> handler. A job without one does not compile.
import type { JobName } from '../shared/jobs.ts'
import type { Handler } from './context.ts'
import { updateBookable } from './handlers/bookables.ts'
import { createBooking, deleteBooking, updateBooking } from './handlers/bookings.ts'
import { createBuilding, deleteBuilding, updateBuilding } from './handlers/buildings.ts'
import { createEvent, replaceEvent } from './handlers/events.ts'
import { createLocation, deleteLocation, setPlan, updateLocation } from './handlers/locations.ts'
import { createToken, revokeToken } from './handlers/tokens.ts'
import { exportUsers, importUsers } from './handlers/users.ts'

export const handlers: { [Name in JobName]: Handler<Name> } = {
  'bookings.create': createBooking,
  'bookings.update': updateBooking,
  'bookings.delete': deleteBooking,
  'bookables.update': updateBookable,
  'buildings.create': createBuilding,
  'buildings.update': updateBuilding,
  'buildings.delete': deleteBuilding,
  'events.create': createEvent,
  'events.replace': replaceEvent,
  'locations.create': createLocation,
  'locations.update': updateLocation,
  'locations.delete': deleteLocation,
  'locations.plan': setPlan,
  'tokens.create': createToken,
  'tokens.revoke': revokeToken,
  'users.import': importUsers,
  'users.export': exportUsers,
}

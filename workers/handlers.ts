// Job name -> handler. A job without one does not compile.
import type { JobName } from '../shared/jobs.ts'
import type { Handler } from './context.ts'
import { createBooking, deleteBooking } from './handlers/bookings.ts'

export const handlers: { [Name in JobName]: Handler<Name> } = {
  'bookings.create': createBooking,
  'bookings.delete': deleteBooking,
}

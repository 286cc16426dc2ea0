// The pages of bookings, events and the audit log: the API's page is handed its endpoints by app.ts.
import type { Page } from '../page.ts'
import { auditEntry } from './audit-entry.ts'
import { auditLog } from './audit-log.ts'
import { booking } from './booking.ts'
import { bookings } from './bookings.ts'
import { cancelBooking } from './cancel-booking.ts'
import { cancelEvent } from './cancel-event.ts'
import { changeEvent } from './change-event.ts'
import { event } from './event.ts'
import { events } from './events.ts'
import { newBooking } from './new-booking.ts'
import { newEvent } from './new-event.ts'

export const bookingPages: Page[] = [
  ...[bookings, newBooking, booking, cancelBooking],
  ...[events, newEvent, event, changeEvent, cancelEvent],
  ...[auditLog, auditEntry],
]

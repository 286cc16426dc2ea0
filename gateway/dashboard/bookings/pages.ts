// The pages of bookings, events and the audit log: the API's page is handed its endpoints by app.ts.

import { auditEntry } from '../audit-log/audit-entry.ts'
import { auditLog } from '../audit-log/audit-log.ts'
import { cancelEvent } from '../events/cancel-event.ts'
import { changeEvent } from '../events/change-event.ts'
import { event } from '../events/event.ts'
import { events } from '../events/events.ts'
import { newEvent } from '../events/new-event.ts'
import type { Page } from '../framework/page.ts'
import { booking } from './booking.ts'
import { bookings } from './bookings.ts'
import { cancelBooking } from './cancel-booking.ts'
import { newBooking } from './new-booking.ts'

export const bookingPages: Page[] = [
  ...[bookings, newBooking, booking, cancelBooking],
  ...[events, newEvent, event, changeEvent, cancelEvent],
  ...[auditLog, auditEntry],
]

// The table of contents of the dashboard: every page, in the order of the navigation.
import type { Page } from './page.ts'
import { auditEntry } from './pages/audit-entry.ts'
import { auditLog } from './pages/audit-log.ts'
import { booking } from './pages/booking.ts'
import { bookings } from './pages/bookings.ts'
import { cancelBooking } from './pages/cancel-booking.ts'
import { cancelEvent } from './pages/cancel-event.ts'
import { changeEvent } from './pages/change-event.ts'
import { event } from './pages/event.ts'
import { events } from './pages/events.ts'
import { home } from './pages/home.ts'
import { newBooking } from './pages/new-booking.ts'
import { newEvent } from './pages/new-event.ts'
import { newToken } from './pages/new-token.ts'
import { revokeToken } from './pages/revoke-token.ts'
import { settings } from './pages/settings.ts'
import { setup } from './pages/setup.ts'
import { signIn } from './pages/sign-in.ts'
import { signOut } from './pages/sign-out.ts'

export const pages: Page[] = [
  home,
  ...[bookings, newBooking, booking, cancelBooking],
  ...[events, newEvent, event, changeEvent, cancelEvent],
  ...[auditLog, auditEntry],
  ...[settings, newToken, revokeToken],
  ...[signIn, signOut, setup],
]

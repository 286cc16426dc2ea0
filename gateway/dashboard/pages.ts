// The table of contents of the dashboard: every page, in the order of the navigation.
import type { Page } from './page.ts'
import { bookingPages } from './pages/booking-pages.ts'
import { newToken } from './pages/new-token.ts'
import { peoplePages } from './pages/people-pages.ts'
import { placePages } from './pages/place-pages.ts'
import { queueHealth } from './pages/queue-health.ts'
import { revokeToken } from './pages/revoke-token.ts'
import { settings } from './pages/settings.ts'
import { setup } from './pages/setup.ts'
import { signIn } from './pages/sign-in.ts'
import { signOut } from './pages/sign-out.ts'
import { today } from './pages/today.ts'

export const pages: Page[] = [
  today,
  ...placePages,
  ...bookingPages,
  ...peoplePages,
  queueHealth,
  ...[settings, newToken, revokeToken, signIn, signOut, setup],
]

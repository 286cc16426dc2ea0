// The table of contents of the dashboard: every page, in the order of the navigation.

import { settings } from './account/settings.ts'
import { setup } from './account/setup.ts'
import { signIn } from './account/sign-in.ts'
import { signOut } from './account/sign-out.ts'
import { bookingPages } from './bookings/pages.ts'
import type { Page } from './framework/page.ts'
import { peoplePages } from './people/pages.ts'
import { placePages } from './places/pages.ts'
import { queueHealth } from './queues/queue-health.ts'
import { today } from './today/today.ts'
import { newToken } from './tokens/new-token.ts'
import { revokeToken } from './tokens/revoke-token.ts'

export const pages: Page[] = [
  today,
  ...placePages,
  ...bookingPages,
  ...peoplePages,
  queueHealth,
  ...[settings, newToken, revokeToken, signIn, signOut, setup],
]

// The table of contents of the dashboard: every page, in the order of the navigation.
import type { Page } from './page.ts'
import { bookingPages } from './pages/booking-pages.ts'
import { home } from './pages/home.ts'
import { newToken } from './pages/new-token.ts'
import { peoplePages } from './pages/people-pages.ts'
import { placePages } from './pages/place-pages.ts'
import { revokeToken } from './pages/revoke-token.ts'
import { settings } from './pages/settings.ts'
import { setup } from './pages/setup.ts'
import { signIn } from './pages/sign-in.ts'
import { signOut } from './pages/sign-out.ts'

export const pages: Page[] = [
  home,
  ...placePages,
  ...bookingPages,
  ...peoplePages,
  ...[settings, newToken, revokeToken, signIn, signOut, setup],
]

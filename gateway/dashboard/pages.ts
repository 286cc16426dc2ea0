// The table of contents of the dashboard: every page, in the order of the navigation.
import type { Page } from './page.ts'
import { settings } from './pages/settings.ts'
import { setup } from './pages/setup.ts'
import { signIn } from './pages/sign-in.ts'
import { signOut } from './pages/sign-out.ts'

export const pages: Page[] = [settings, signIn, signOut, setup]

// Prints the page with every component from the current sources. `npm run dev` serves it at /dashboard/kit.

import { type Call, toPageView } from '../../../gateway/web/pages/page/page.ts'
import { SECTIONS } from '../../../gateway/web/pages/page/sections.ts'
import { showLayout } from '../../../gateway/web/pages/ui/layout.ts'
import { DASHBOARD_PATH, linkTo } from '../../../gateway/web/sessions/addresses.ts'
import { kitPage } from './kit-page.ts'

// Contains only those parts of a request that the page uses.
const call = {
  query: {},
  refusedQuery: undefined,
  link: (path, query) => linkTo(DASHBOARD_PATH, path, query),
  linkHere: (changes) => linkTo(DASHBOARD_PATH, '/kit', changes),
} satisfies Partial<Call>

const shown = await kitPage.show(call as unknown as Call)
if ('redirectTo' in shown || 'file' in shown) throw new Error('The kit is no page')
const view = toPageView(shown)
const page = showLayout({
  root: '',
  title: 'Kit',
  email: 'kit@example.com',
  isNarrow: false,
  sections: SECTIONS,
  section: 'Today',
  systemStatus: [],
  notice: undefined,
  here: '/dashboard/kit',
  view,
})
process.stdout.write(page.text)

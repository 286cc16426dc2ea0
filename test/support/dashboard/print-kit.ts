// Prints the page with every piece, as the sources are now. `npm run dev` serves it at /dashboard/kit.

import { type Call, toView } from '../../../gateway/web/pages/page/page.ts'
import { SECTIONS } from '../../../gateway/web/pages/page/sections.ts'
import { layout } from '../../../gateway/web/pages/ui/layout.ts'
import { DASHBOARD, linkTo } from '../../../gateway/web/sessions/addresses.ts'
import { kitPage } from './kit-page.ts'

// What the page uses of a request.
const call = {
  query: {},
  refusedQuery: undefined,
  link: (path, query) => linkTo(DASHBOARD, path, query),
  linkHere: (changes) => linkTo(DASHBOARD, '/kit', changes),
} satisfies Partial<Call>

const shown = await kitPage.show(call as unknown as Call)
if ('redirectTo' in shown) throw new Error('The kit is no page')
const view = toView(shown)
const page = layout({
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

// The list of screens at doors and in lobbies, with their state.
import { addHours } from '../../../../shared/utilities/date-times.ts'
import { type Html, html } from '../../../html/html.ts'
import { sentence, t, tHtml } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { showRelativeInstant } from '../../pages/time/instants.ts'
import { defineListPage } from '../../pages/ui/declared-pages.ts'
import { showLink, showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { listScreens, SCREEN_ORDERS, type ScreenRow } from './queries.ts'

export const SCREENS_PATH = '/places/screens'

export const screensPage = defineListPage({
  path: SCREENS_PATH,
  title: sentence`Screens`,
  section: 'Places',
  orders: SCREEN_ORDERS,
  usual: 'name',
  find: (call, slice, order) => listScreens(call.reads, slice, order),
  columns: (call) => [
    {
      label: t`Name`,
      sort: 'name',
      show: ({ id, name }) => showLinkOrText(call.link(`${SCREENS_PATH}/${id}`), name),
    },
    {
      label: t`Shows`,
      sort: 'place',
      show: ({ kind, place, around }) =>
        kind === 'lobby' ? t`Who is in ${place}` : html`${place} <span class="soft">${around}</span>`,
    },
    { label: t`State`, sort: 'seen', show: (screen) => showScreenState(call, screen) },
  ],
  empty: () =>
    showEmptyState(
      t`No screens yet.`,
      t`A tablet at a room’s door shows whether the room is free and lets people book it. A tablet in the lobby shows who is in.`,
    ),
  view: (call) => ({
    breadcrumbs: [[t`Places`, '/places']],
    lead: t`Tablets at the doors of rooms and in lobbies. Each has a secret address.`,
    tools: showLink(call.link(`${SCREENS_PATH}/new`), t`New screen`, { class: 'button primary' }),
  }),
})

/** The number of hours after which a silent screen counts as missing. A screen that is on reports every few minutes. */
const MISSING_AFTER_HOURS = 0.5

export function showScreenState(call: Call, { lastSeenAt, revokedAt }: ScreenRow): Html {
  if (revokedAt !== null) return html`<span class="badge">${t`switched off`}</span>`
  if (lastSeenAt === null) return html`<span class="badge">${t`never seen`}</span>`
  if (lastSeenAt > addHours(call.now, -MISSING_AFTER_HOURS))
    return html`<span class="badge good">${t`on`}</span>`
  return html`<span class="badge warn">${tHtml`not seen since ${showRelativeInstant(lastSeenAt, call.now)}`}</span>`
}

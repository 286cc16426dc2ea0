// An administrator's first steps, a list that ticks itself off. It disappears once people can and do book.
import { includesRole } from '../../../../shared/administrators/roles.ts'
import { onlyRow } from '../../../../shared/database/database.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { OPEN } from '../../../overload/admission.ts'
import { flag, number, orNull, type RowOf, selectRows } from '../../../reads/rows/rows.ts'
import type { Services } from '../../../server/services/services.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { cacheFor } from '../../pages/page/ttl-cache.ts'
import { card, showLinkOrText } from '../../pages/ui/parts.ts'

const CACHED_MS = 2_000

const DONE = {
  /** The building that floors are added to. */
  buildingId: orNull(number('first.building')),
  locationId: orNull(number('first.location')),
  bookable: flag('EXISTS (SELECT FROM bookables WHERE deleted_at IS NULL)'),
  plan: flag('EXISTS (SELECT FROM locations WHERE floor_plan_sha256 IS NOT NULL)'),
  user: flag('EXISTS (SELECT FROM users WHERE deactivated_at IS NULL AND NOT is_anonymous)'),
  token: flag('EXISTS (SELECT FROM tokens WHERE revoked_at IS NULL)'),
  booking: flag('EXISTS (SELECT FROM bookings)'),
}
const FIRST =
  '(SELECT (SELECT min(id) FROM buildings) AS building, (SELECT min(id) FROM locations) AS location) AS first'

const findDone = cacheFor(CACHED_MS, ({ reads }: Services) =>
  reads.read(OPEN, undefined, async ({ pool }) => onlyRow(await selectRows(pool, DONE, FIRST))),
)

type Step = { label: string; isDone: boolean; path: string | undefined; isOptional?: true }

/** Shows nothing once all steps are done, or to users who may not do them. */
export async function showFirstSteps(call: Call): Promise<Content> {
  if (!includesRole(call.requireAdmin().role, 'administrator')) return null
  const steps = stepsOf(await findDone(call.services))
  if (steps.every(({ isDone, isOptional }) => isDone || isOptional)) return null
  return card(t`First steps`, html`<ol class="steps">${steps.map((step) => showStep(call, step))}</ol>`)
}

function stepsOf(done: RowOf<typeof DONE>): Step[] {
  const building = done.buildingId === null ? undefined : `/places/buildings/${done.buildingId}`
  const location = done.locationId === null ? undefined : `/places/locations/${done.locationId}`
  return [
    { label: t`Create a building`, isDone: building !== undefined, path: '/places/buildings/new' },
    {
      label: t`Add a floor to it`,
      isDone: location !== undefined,
      path: building && `${building}/locations/new`,
    },
    {
      label: t`Add its desks, rooms and parking`,
      isDone: done.bookable,
      path: location && `${location}/add`,
    },
    {
      label: t`Upload its floor plan`,
      isDone: done.plan,
      path: location && `${location}/plan`,
      isOptional: true,
    },
    { label: t`Import people, or add them`, isDone: done.user, path: '/people/import' },
    {
      label: t`Create a token for other programs`,
      isDone: done.token,
      path: '/integrations/tokens/new',
      isOptional: true,
    },
    { label: t`Create a first booking`, isDone: done.booking, path: '/bookings/new' },
  ]
}

function showStep(call: Call, { label, isDone, path, isOptional }: Step): Html {
  const optional = isOptional && html` <span class="soft">${t`optional`}</span>`
  if (isDone)
    return html`<li class="done"><span aria-hidden="true">✓</span> ${label} <span class="unseen">${t`done`}</span></li>`
  // The step before is not done yet.
  if (path === undefined) return html`<li><span aria-hidden="true">○</span> ${label}${optional}</li>`
  return html`<li><span aria-hidden="true">○</span> ${showLinkOrText(call.link(path), label)}${optional}</li>`
}

// An administrator's first steps, as a list that ticks completed steps automatically. The list disappears
// once people can book and have booked.
import { includesRole } from '../../../../shared/administrators/roles.ts'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { NO_TOKEN_OWNER } from '../../../overload/admission.ts'
import { flagColumn, nullableColumn, numberColumn, type RowOf, selectRows } from '../../../reads/rows/rows.ts'
import type { Services } from '../../../server/services/services.ts'
import { t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { createCacheFor } from '../../pages/page/ttl-cache.ts'
import { showCard, showLinkOrText } from '../../pages/ui/parts.ts'

const CACHE_MS = 2_000

const DONE_COLUMNS = {
  /** The building to which the administrator adds floors. */
  buildingId: nullableColumn(numberColumn('first.building')),
  locationId: nullableColumn(numberColumn('first.location')),
  bookable: flagColumn('EXISTS (SELECT FROM bookables WHERE deleted_at IS NULL)'),
  plan: flagColumn('EXISTS (SELECT FROM locations WHERE floor_plan_sha256 IS NOT NULL)'),
  user: flagColumn('EXISTS (SELECT FROM users WHERE deactivated_at IS NULL AND NOT is_anonymous)'),
  token: flagColumn('EXISTS (SELECT FROM tokens WHERE revoked_at IS NULL)'),
  booking: flagColumn('EXISTS (SELECT FROM bookings)'),
}
const FIRST_BUILDING_SQL =
  '(SELECT (SELECT min(id) FROM buildings) AS building, (SELECT min(id) FROM locations) AS location) AS first'

const findDoneSteps = createCacheFor(CACHE_MS, ({ reads }: Services) =>
  reads.read(NO_TOKEN_OWNER, undefined, async ({ pool }) =>
    getOnlyRow(await selectRows(pool, DONE_COLUMNS, FIRST_BUILDING_SQL)),
  ),
)

type FirstStep = { label: string; isDone: boolean; path: string | undefined; isOptional?: true }

/** Shows the remaining steps. Shows nothing once all steps are done, or to viewers who may not do them. */
export async function showFirstSteps(call: Call): Promise<Content> {
  if (!includesRole(call.requireAdmin().role, 'administrator')) return null
  const steps = listSteps(await findDoneSteps(call.services))
  if (steps.every(({ isDone, isOptional }) => isDone || isOptional)) return null
  return showCard(t`First steps`, html`<ol class="steps">${steps.map((step) => showStep(call, step))}</ol>`)
}

function listSteps(done: RowOf<typeof DONE_COLUMNS>): FirstStep[] {
  const building = done.buildingId === null ? undefined : `/places/buildings/${done.buildingId}`
  const location = done.locationId === null ? undefined : `/places/locations/${done.locationId}`
  return [
    { label: t`Create a building`, isDone: building !== undefined, path: '/places/buildings/new' },
    {
      label: t`Add a floor to the building`,
      isDone: location !== undefined,
      path: building && `${building}/locations/new`,
    },
    {
      label: t`Add the floor’s desks, rooms and parking`,
      isDone: done.bookable,
      path: location && `${location}/add`,
    },
    {
      label: t`Upload the floor plan`,
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
    { label: t`Create the first booking`, isDone: done.booking, path: '/bookings/new' },
  ]
}

function showStep(call: Call, { label, isDone, path, isOptional }: FirstStep): Html {
  const optional = isOptional && html` <span class="soft">${t`optional`}</span>`
  if (isDone)
    return html`<li class="done"><span aria-hidden="true">✓</span> ${label} <span class="unseen">${t`done`}</span></li>`
  // A step has no link until the previous step is done.
  if (path === undefined) return html`<li><span aria-hidden="true">○</span> ${label}${optional}</li>`
  return html`<li><span aria-hidden="true">○</span> ${showLinkOrText(call.link(path), label)}${optional}</li>`
}

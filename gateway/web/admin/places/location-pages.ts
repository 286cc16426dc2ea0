// The shared parts of the pages of places: the cards that edit and delete a place and, for pages about a
// location and its bookables, the queries and breadcrumbs.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import {
  findRow,
  flagColumn,
  listRows,
  numberColumn,
  type RowOf,
  selectRow,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { sentence, t } from '../../locales/translate.ts'
import { findBackPath } from '../../pages/page/back.ts'
import type { Breadcrumbs, Call } from '../../pages/page/page.ts'
import { canOpen } from '../../pages/page/roles.ts'
import { defineResourcePages } from '../../pages/ui/declared-pages.ts'
import type { Fields, Option } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { showCard, showLink } from '../../pages/ui/parts.ts'

export const missingLocation = message`This floor does not exist, or it has been deleted.`

const LOCATION_COLUMNS = {
  id: numberColumn('locations.id'),
  name: textColumn('locations.name'),
  code: textColumn('locations.code'),
  buildingId: numberColumn('buildings.id'),
  building: textColumn('buildings.name'),
  timezone: textColumn('buildings.timezone'),
  version: textColumn(versionSql('locations')),
  hasFloorPlan: flagColumn('locations.floor_plan_type IS NOT NULL'),
  bookables: numberColumn('counted.bookables'),
  /** The number of bookables with a position on the floor plan. */
  positioned: numberColumn('counted.positioned'),
}

export type LocationRow = RowOf<typeof LOCATION_COLUMNS>

export const findLocation = (reads: pg.Pool, id: number) =>
  selectRow(
    reads,
    LOCATION_COLUMNS,
    `locations JOIN buildings ON buildings.id = locations.building_id, LATERAL (
       SELECT count(*)::int AS bookables, count(position_x)::int AS positioned
       FROM bookables WHERE location_id = locations.id AND deleted_at IS NULL
     ) AS counted
     WHERE locations.id = $1`,
    [id],
  )

export async function requireLocation(reads: pg.Pool, id: number): Promise<LocationRow> {
  const found = await findLocation(reads, id)
  if (!found) throw new Refusal('not_found', missingLocation)
  return found
}

export const listBuildingOptions = (reads: pg.Pool) =>
  listRows<Option>(
    reads,
    `SELECT id AS value, name AS label FROM buildings ORDER BY ${naturalSql('name')}, id`,
  )

/** Lists up to `limit` locations as options, or all of them without a limit. */
export const listLocationOptions = (reads: pg.Pool, limit?: number) =>
  listRows<Option>(
    reads,
    `SELECT locations.id AS value, buildings.name || ': ' || locations.name AS label
     FROM locations JOIN buildings ON buildings.id = locations.building_id
     ORDER BY ${naturalSql('buildings.name')}, buildings.id, locations.id LIMIT $1`,
    [limit],
  )

/** Finds the location that the map and the day show first: the location with the most desks and rooms. */
export const findMainLocation = (reads: pg.Pool) =>
  findRow<{ id: number; buildingId: number }>(
    reads,
    `SELECT locations.id, locations.building_id AS "buildingId"
     FROM locations LEFT JOIN bookables ON bookables.location_id = locations.id AND bookables.deleted_at IS NULL
     GROUP BY locations.id ORDER BY count(bookables.id) DESC, locations.id LIMIT 1`,
    [],
  )

// The maximum number of floors in the list, because a longer list would make the page large. The Places page
// has a search.
const LISTED_FLOORS_MAX = 60

/** Shows a field that chooses a floor. `any` is the label of the option that stands for all floors. */
export type ShowFloorField = (fields: Fields, value?: number, any?: string) => Html[]

/** Creates a field that opens another floor of this or another building. The field is empty if there is no
 * other floor. */
export async function createFloorField(reads: pg.Pool): Promise<ShowFloorField> {
  const options = await listLocationOptions(reads, LISTED_FLOORS_MAX + 1)
  if (options.length < 2 || options.length > LISTED_FLOORS_MAX) return () => []
  return (fields, value, any) => [
    fields.select('location', t`Floor`, { options, value, required: any === undefined, ...(any && { any }) }),
  ]
}

/** A location with the `buildings` to which the form can move it. */
export type LocationOfForm = LocationRow & { buildings?: Option[] }

export const locationPages = defineResourcePages({
  path: '/places/locations/{id}',
  section: 'Places',
  missing: missingLocation,
  find: ({ reads, params }): Promise<LocationOfForm | undefined> => findLocation(reads, params.id),
  above: ({ building, buildingId }, call) => [
    [t`Places`, findBackPath(call, '/places')],
    [building, `/places/buildings/${buildingId}`],
  ],
  nameOf: ({ name }) => name,
  tabs: [
    ['', sentence`Desks and rooms`],
    ['/plan', sentence`Floor plan`],
    ['/rules', sentence`Rules`],
    ['/details', sentence`Details`],
    ['/history', sentence`History`],
  ],
})

/** Returns the breadcrumbs of a page about things in a location. `path` leads back to the list of these things. */
export function createLocationBreadcrumbs(
  { id, name, building, buildingId }: Pick<LocationRow, 'id' | 'name' | 'building' | 'buildingId'>,
  path = `/places/locations/${id}`,
): Breadcrumbs {
  return [
    [t`Places`, '/places'],
    [building, `/places/buildings/${buildingId}`],
    [name, path],
  ]
}

/** Shows the form of a place's details, whose action is the page's `update`. */
export function showPlaceDetailsCard(
  call: Call,
  values: object & { version: string },
  fields: (fields: Fields) => Content,
): Html {
  const options = { action: 'update', submit: t`Save changes`, version: values.version, values }
  return showCard(t`Details`, html`<div class="narrow">${form(call, options, fields)}</div>`, 'edit')
}

/** Shows the “…” menu that deletes a place, or that says why the place cannot be deleted yet. */
export function showDeletionMenu(address: string, label: string, reason: string | false): Html | null {
  if (!canOpen(address)) return null
  return showMoreMenu([
    reason ? html`<p class="soft">${reason}</p>` : showLink(address, label, { class: 'danger' }),
  ])
}

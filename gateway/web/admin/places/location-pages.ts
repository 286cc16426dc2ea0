// Shared by the pages of places: the cards that edit and delete one; and, for pages about a location and its bookables,
// its queries, how it is found, and what is above them.
import type pg from 'pg'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { versionSql } from '../../../../shared/schemas/versions.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { findRow, flag, listRows, number, type RowOf, selectRow, text } from '../../../reads/rows/rows.ts'
import { sentence, t } from '../../locales/translate.ts'
import { backPath } from '../../pages/page/back.ts'
import type { Breadcrumbs, Call } from '../../pages/page/page.ts'
import { mayOpen } from '../../pages/page/roles.ts'
import { resource } from '../../pages/ui/declared-pages.ts'
import type { Fields, Option } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { card } from '../../pages/ui/parts.ts'

export const missingLocation = message`This floor does not exist, or it has been deleted.`

const LOCATION = {
  id: number('locations.id'),
  name: text('locations.name'),
  code: text('locations.code'),
  buildingId: number('buildings.id'),
  building: text('buildings.name'),
  timezone: text('buildings.timezone'),
  version: text(versionSql('locations')),
  hasFloorPlan: flag('locations.floor_plan_type IS NOT NULL'),
  bookables: number('counted.bookables'),
  /** The bookables with a position on the floor plan. */
  positioned: number('counted.positioned'),
}

export type LocationRow = RowOf<typeof LOCATION>

export const findLocation = (reads: pg.Pool, id: number) =>
  selectRow(
    reads,
    LOCATION,
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

/** Returns up to `limit` locations, or all. */
export const listLocationOptions = (reads: pg.Pool, limit?: number) =>
  listRows<Option>(
    reads,
    `SELECT locations.id AS value, buildings.name || ': ' || locations.name AS label
     FROM locations JOIN buildings ON buildings.id = locations.building_id
     ORDER BY ${naturalSql('buildings.name')}, buildings.id, locations.id LIMIT $1`,
    [limit],
  )

/** Where the map and the day begin: the location with the most desks and rooms. */
export const findMainLocation = (reads: pg.Pool) =>
  findRow<{ id: number; buildingId: number }>(
    reads,
    `SELECT locations.id, locations.building_id AS "buildingId"
     FROM locations LEFT JOIN bookables ON bookables.location_id = locations.id AND bookables.deleted_at IS NULL
     GROUP BY locations.id ORDER BY count(bookables.id) DESC, locations.id LIMIT 1`,
    [],
  )

// A longer list makes the page large. Places has a search.
const FLOORS_MAX = 60

/** `any`: the label of the option for no particular floor. */
export type FloorField = (fields: Fields, value?: number, any?: string) => Html[]

/** A field that leads to another floor, of this building or another one. There is none if there is no other floor. */
export async function floorChoice(reads: pg.Pool): Promise<FloorField> {
  const options = await listLocationOptions(reads, FLOORS_MAX + 1)
  if (options.length < 2 || options.length > FLOORS_MAX) return () => []
  return (fields, value, any) => [
    fields.select('location', t`Floor`, { options, value, required: any === undefined, ...(any && { any }) }),
  ]
}

/** `buildings`: those that it can be in, for a form that moves it. */
export type LocationOfForm = LocationRow & { buildings?: Option[] }

export const locationPages = resource({
  path: '/places/locations/{id}',
  section: 'Places',
  missing: missingLocation,
  find: ({ reads, params }): Promise<LocationOfForm | undefined> => findLocation(reads, params.id),
  above: ({ building, buildingId }, call) => [
    [t`Places`, backPath(call, '/places')],
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

/** The pages above one about things of a location. `path` leads back to their list. */
export function locationBreadcrumbs(
  { id, name, building, buildingId }: Pick<LocationRow, 'id' | 'name' | 'building' | 'buildingId'>,
  path = `/places/locations/${id}`,
): Breadcrumbs {
  return [
    [t`Places`, '/places'],
    [building, `/places/buildings/${buildingId}`],
    [name, path],
  ]
}

/** The form's action is the page's `update`. */
export function detailsCard(
  call: Call,
  values: object & { version: string },
  fields: (fields: Fields) => Content,
): Html {
  const options = { action: 'update', submit: t`Save changes`, version: values.version, values }
  return card(t`Details`, html`<div class="narrow">${form(call, options, fields)}</div>`, 'edit')
}

/** Hidden from viewers who may not open the page that deletes, at this address. */
export function deletionCard(title: string, address: string, content: Content): Html | false {
  return mayOpen(address) && card(title, html`<p>${content}</p>`, 'delete')
}

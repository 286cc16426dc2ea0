// Looks up what tools need to know about places that no single endpoint returns: the time zones of buildings,
// the tags in a place, and the positions of bookables on floor plans. A token that is limited to some
// buildings sees only these.

import { readAsToken } from '../../reads/limits/building-limits.ts'
import type { InternalClient } from '../../server/http/internal-call.ts'
import { requireToken } from '../../server/services/context.ts'

export type Place = {
  location_id: number
  location: string
  building_id: number
  building: string
  zone: string
}
export type Building = { id: number; name: string; zone: string }
export type Position = { id: number; location_id: number; x: number; y: number }

/** The maximum number of buildings that are offered to an agent at first, or named in a refusal. */
const BUILDINGS_MAX = 50

const PLACE_STATEMENTS = {
  places: `
    SELECT locations.id AS location_id, locations.name AS location, buildings.id AS building_id,
      buildings.name AS building, buildings.timezone AS zone
    FROM locations JOIN buildings ON buildings.id = locations.building_id
    WHERE locations.id = ANY ($1::bigint[])
      OR locations.id IN (SELECT location_id FROM bookables WHERE id = ANY ($2::bigint[]))`,
  buildings: `
    SELECT id, name, timezone AS zone FROM buildings
    WHERE $1::bigint IS NULL OR id = $1 ORDER BY id LIMIT ${BUILDINGS_MAX + 1}`,
  tags: `
    SELECT DISTINCT tag FROM bookables JOIN locations ON locations.id = bookables.location_id, unnest(tags) AS tag
    WHERE bookables.deleted_at IS NULL AND (locations.building_id = $1 OR locations.id = $2) ORDER BY tag LIMIT 500`,
  positions: `
    SELECT id, location_id, position_x AS x, position_y AS y FROM bookables
    WHERE id = ANY ($1::bigint[]) AND position_x IS NOT NULL`,
}

export class PlaceCache {
  readonly #api: InternalClient
  readonly #known = new Map<number, Place>()

  constructor(api: InternalClient) {
    this.#api = api
  }

  /** Finds places by their location ids. */
  async find(locationIds: readonly number[]): Promise<ReadonlyMap<number, Place>> {
    const unknown = [...new Set(locationIds)].filter((id) => !this.#known.has(id))
    if (unknown.length > 0) await this.#learn(unknown, [])
    return this.#known
  }

  async findOfBookable(bookableId: number): Promise<Place | undefined> {
    const [place] = await this.#learn([], [bookableId])
    return place
  }

  findBuildings(id?: number): Promise<Building[]> {
    return this.#query('buildings', [id ?? null])
  }

  async findTags(buildingId: number | undefined, locationId: number | undefined): Promise<string[]> {
    const rows = await this.#query<{ tag: string }>('tags', [buildingId ?? null, locationId ?? null])
    return rows.map(({ tag }) => tag)
  }

  findPositions(bookableIds: readonly number[]): Promise<Position[]> {
    return this.#query('positions', [bookableIds])
  }

  async #learn(locationIds: readonly number[], bookableIds: readonly number[]): Promise<Place[]> {
    const found = await this.#query<Place>('places', [locationIds, bookableIds])
    for (const place of found) this.#known.set(place.location_id, place)
    return found
  }

  async #query<Row extends object>(name: keyof typeof PLACE_STATEMENTS, values: unknown[]): Promise<Row[]> {
    const { ctx, services } = this.#api
    const statement = { name: `agents-${name}`, text: PLACE_STATEMENTS[name], values }
    const { rows } = await readAsToken(services.reads, requireToken(ctx), ({ pool }) =>
      pool.query<Row>(statement),
    )
    return rows
  }
}

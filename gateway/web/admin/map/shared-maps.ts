// Shares maps among viewers: the map of a location at a given time is queried once and drawn once for all of them.
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { type Html, html } from '../../../html/html.ts'
import type { MapLayout } from '../../../reads/map/map-layouts.ts'
import { findMapState } from '../../../reads/map/picture.ts'
import { currentLanguage, t } from '../../locales/translate.ts'
import { createMapLayout } from '../../pages/map/canvas.ts'
import { showMapCells } from '../../pages/map/cells.ts'
import { createFloorPlanPicture } from '../../pages/map/floor-plan-pictures.ts'
import { formatState } from '../../pages/map/legend.ts'
import type { Call } from '../../pages/page/page.ts'
import { currentRole } from '../../pages/page/roles.ts'
import { TtlCache } from '../../pages/page/ttl-cache.ts'
import { missingBooking } from '../bookings/queries.ts'
import { missingLocation } from '../places/location-pages.ts'
import { describeBookables, formatHolders, formatMoment, type MapNames } from './describe-bookables.ts'
import { findMap, type MapBookable, type MapFacts, type MapQuery } from './queries.ts'
import {
  isShown,
  type ShownBookables,
  showBookablePanel,
  showBookablesList,
  showFilterTabs,
  showFloorTabs,
  showNameTabs,
} from './sidebar.ts'

/** The maximum age of a shared map. A viewer who gets a shared map asks again when it reaches this age. */
export const MAP_CACHED_MS = 2_000

export type RenderedMap = {
  facts: MapFacts
  layout: MapLayout
  floors: Html
  cells: Html
  list: Html
  /** The panel that describes the marked bookable. */
  panel: Html | undefined
  /** All parts of the page that are updated, as HTML. */
  slots: Html
}

/** What the viewer has chosen: the bookable to mark (by default the bookable of the requested booking), which
 * bookables to list, and how to name people. */
type MapView = {
  bookable?: number | undefined
  shown?: ShownBookables | undefined
  names?: MapNames | undefined
}
type MapCall = Call<unknown, MapQuery & MapView>

const sharedMaps = new TtlCache<SharedMap>(MAP_CACHED_MS)

export function findRenderedMap(call: MapCall, { anew = false } = {}) {
  const { location, booking, date, time, bookable, shown, names } = call.query
  const key = JSON.stringify([location, booking, date, time])
  const find = () => findSharedMap(call)
  const found = anew
    ? sharedMaps.refresh(call.services, key, find)
    : sharedMaps.find(call.services, key, find)
  return {
    map: found.value.then((map) => map.renderedAs({ bookable, shown, names })),
    askAgainInMs: MAP_CACHED_MS - (Date.now() - found.askedMs),
  }
}

async function findSharedMap(call: MapCall): Promise<SharedMap> {
  const facts = await findMap(call.reads, call.now, call.query)
  if (!facts) throw new Refusal('not_found', call.query.booking ? missingBooking : missingLocation)
  return new SharedMap(call, facts)
}

class SharedMap {
  readonly #call: MapCall
  readonly #facts: MapFacts
  readonly #layout: MapLayout
  // Descriptions and drawn maps, by language and role among others, because all viewers share them.
  readonly #words = new Map<string, Map<number, string>>()
  readonly #drawn = new Map<string, RenderedMap>()

  constructor(call: MapCall, facts: MapFacts) {
    const { moment, floorPlan, bookables } = facts
    const picture = floorPlan ? createFloorPlanPicture(call, moment.id, floorPlan) : undefined
    this.#call = call
    this.#facts = facts
    this.#layout = createMapLayout(picture, bookables)
  }

  renderedAs(view: MapView): RenderedMap {
    const key = JSON.stringify([view.bookable, view.shown, view.names, currentLanguage(), currentRole()])
    const drawn = this.#drawn.get(key) ?? this.#draw(view)
    this.#drawn.set(key, drawn)
    return drawn
  }

  #draw(view: MapView): RenderedMap {
    const [facts, layout] = [this.#facts, this.#layout]
    const { moment, booking, bookables } = facts
    const { shown, names = 'full' } = view
    const asked = view.bookable ?? booking?.bookableId
    const chosen = bookables.find(({ id }) => id === asked)
    const words = this.#describeAll(names)
    const describe = ({ id }: MapBookable) => words.get(id) ?? ''
    // The bookable is the last parameter, so that the common part of a thousand addresses is built only once.
    const others = this.#addressOf(view, { bookable: null })
    const addressOf = ({ id }: MapBookable) => `${others}&bookable=${id}#chosen`
    const drawn = bookables.map((each) => ({
      ...each,
      state: findMapState(each).label,
      description: describe(each),
      address: addressOf(each),
      ...(each.occupied ? formatHolders(each, names) : { line: formatState(each) }),
    }))
    const label = t`Desks, rooms and parking of ${moment.name}`
    const marked = chosen?.id
    const panel =
      chosen && showBookablePanel(this.#call, chosen, this.#describeAll('full').get(chosen.id) ?? '', moment)
    const floors = html`<div data-slot="floors">${showFloorTabs(facts, (id) => this.#floorAddress(view, id))}</div>`
    const cells = html`<div data-slot="cells">${showMapCells(layout, drawn, { marked, label })}</div>`
    const all = this.#call.link(`/places/locations/${moment.id}`)
    const listed = bookables.filter((each) => isShown(each, shown))
    const list = html`<div data-slot="list">${panel && html`<section class="card" id="chosen" aria-label="${t`Details`}">${panel}</section>`}<h2>${moment.isNow ? t`Now` : formatMoment(moment)}</h2>
${showFilterTabs(bookables, shown, (each) => this.#addressOf(view, { shown: each ?? null }))}
${showBookablesList(listed, { addressOf, describe, all })}
${showNameTabs(names, (each) => this.#addressOf(view, { names: each === 'full' ? null : each }))}</div>`
    return { facts, layout, floors, cells, list, panel, slots: html`${cells}${list}${floors}` }
  }

  #describeAll(names: MapNames): Map<number, string> {
    const { moment, bookables } = this.#facts
    const key = JSON.stringify([names, currentLanguage()])
    const words = this.#words.get(key) ?? describeBookables(bookables, moment, names)
    this.#words.set(key, words)
    return words
  }

  /** Returns the address of this map at the same time, with another choice. */
  #addressOf({ shown, names, bookable }: MapView, changes: Record<string, string | number | null>): string {
    const { booking, date, time } = this.#call.query
    const { id } = this.#facts.moment
    return this.#call.link('/map', { location: id, booking, date, time, shown, names, bookable, ...changes })
  }

  /** Returns the address of another floor at the same time. The address contains the time, because on this
   * page the requested booking may imply it. */
  #floorAddress(view: MapView, location: number): string {
    const { isNow, date, time } = this.#facts.moment
    const moment = isNow ? { date: null, time: null } : { date, time }
    return this.#addressOf(view, { ...moment, location, booking: null, bookable: null })
  }
}

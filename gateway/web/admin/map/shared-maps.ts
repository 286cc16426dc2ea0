// Shares maps among viewers: what a location shows at a moment is found once and drawn once for all of them.
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { type Html, html } from '../../../html/html.ts'
import type { MapLayout } from '../../../reads/map/map-layouts.ts'
import { currentLanguage, t } from '../../locales/translate.ts'
import { layoutOf, showCells } from '../../pages/map/canvas.ts'
import { floorPlanPicture } from '../../pages/map/floor-plan-pictures.ts'
import { formatState } from '../../pages/map/legend.ts'
import type { Call } from '../../pages/page/page.ts'
import { currentRole } from '../../pages/page/roles.ts'
import { TtlCache } from '../../pages/page/ttl-cache.ts'
import { missingBooking } from '../bookings/queries.ts'
import { missingLocation } from '../places/location-pages.ts'
import { describeBookables, formatMoment, type Names, showHolders } from './describe-bookables.ts'
import { findMap, type MapBookable, type MapFacts, type MapQuery } from './queries.ts'
import { bookablesList, floorTabs, isShown, nameTabs, type Shown, shownTabs, showPanel } from './sidebar.ts'

/** How old a shared map may be. A viewer who gets one asks again when it is that old. */
export const MAP_CACHED_MS = 2_000

export type RenderedMap = {
  facts: MapFacts
  layout: MapLayout
  floors: Html
  cells: Html
  list: Html
  /** The description of the marked bookable. */
  panel: Html | undefined
  /** Everything that a page updates. */
  slots: Html
}

/** The bookable to mark (by default that of the requested booking), what to list, and how to name people. */
type MapView = { bookable?: number | undefined; shown?: Shown | undefined; names?: Names | undefined }
type MapCall = Call<unknown, MapQuery & MapView>

const maps = new TtlCache<FoundMap>(MAP_CACHED_MS)

export function findRenderedMap(call: MapCall, { anew = false } = {}) {
  const { location, booking, date, time, bookable, shown, names } = call.query
  const key = JSON.stringify([location, booking, date, time])
  const find = () => findFacts(call)
  const found = anew ? maps.refresh(call.services, key, find) : maps.find(call.services, key, find)
  return {
    map: found.value.then((map) => map.renderedAs({ bookable, shown, names })),
    askAgainInMs: MAP_CACHED_MS - (Date.now() - found.askedMs),
  }
}

async function findFacts(call: MapCall): Promise<FoundMap> {
  const facts = await findMap(call.reads, call.now, call.query)
  if (!facts) throw new Refusal('not_found', call.query.booking ? missingBooking : missingLocation)
  return new FoundMap(call, facts)
}

class FoundMap {
  readonly #call: MapCall
  readonly #facts: MapFacts
  readonly #layout: MapLayout
  // Keyed by language and role too, because all viewers share them.
  readonly #words = new Map<string, Map<number, string>>()
  readonly #drawn = new Map<string, RenderedMap>()

  constructor(call: MapCall, facts: MapFacts) {
    const { moment, floorPlan, bookables } = facts
    const picture = floorPlan ? floorPlanPicture(call, moment.id, floorPlan) : undefined
    this.#call = call
    this.#facts = facts
    this.#layout = layoutOf(picture, bookables)
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
    // The bookable is the last parameter, so that the rest of a thousand addresses is built only once.
    const others = this.#addressOf(view, { bookable: null })
    const addressOf = ({ id }: MapBookable) => `${others}&bookable=${id}#chosen`
    const format = (one: MapBookable) => (one.occupied ? showHolders(one, names) : formatState(one))
    const label = t`Desks, rooms and parking of ${moment.name}`
    const marked = chosen?.id
    const panel =
      chosen && showPanel(this.#call, chosen, this.#describeAll('full').get(chosen.id) ?? '', moment)
    const floors = html`<div data-slot="floors">${floorTabs(facts, (id) => this.#floorAddress(view, id))}</div>`
    const cells = html`<div data-slot="cells">${showCells(layout, bookables, { marked, label, describe, format, addressOf })}</div>`
    const all = this.#call.link(`/places/locations/${moment.id}`)
    const listed = bookables.filter((each) => isShown(each, shown))
    const list = html`<div data-slot="list">${panel && html`<section class="card" id="chosen" aria-label="${t`Details`}">${panel}</section>`}<h2>${moment.isNow ? t`Now` : formatMoment(moment)}</h2>
${shownTabs(bookables, shown, (each) => this.#addressOf(view, { shown: each ?? null }))}
${bookablesList(listed, { addressOf, describe, all })}
${nameTabs(names, (each) => this.#addressOf(view, { names: each === 'full' ? null : each }))}</div>`
    return { facts, layout, floors, cells, list, panel, slots: html`${cells}${list}${floors}` }
  }

  #describeAll(names: Names): Map<number, string> {
    const { moment, bookables } = this.#facts
    const key = JSON.stringify([names, currentLanguage()])
    const words = this.#words.get(key) ?? describeBookables(bookables, moment, names)
    this.#words.set(key, words)
    return words
  }

  /** The address of the same map at the same moment, with something else chosen. */
  #addressOf({ shown, names, bookable }: MapView, changes: Record<string, string | number | null>): string {
    const { booking, date, time } = this.#call.query
    const { id } = this.#facts.moment
    return this.#call.link('/map', { location: id, booking, date, time, shown, names, bookable, ...changes })
  }

  /** Another floor at the same moment, spelled out because the requested booking may imply it here. */
  #floorAddress(view: MapView, location: number): string {
    const { isNow, date, time } = this.#facts.moment
    const moment = isNow ? { date: null, time: null } : { date, time }
    return this.#addressOf(view, { ...moment, location, booking: null, bookable: null })
  }
}

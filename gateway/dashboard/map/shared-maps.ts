// Maps as many look at them: what one of a location shows at a moment is found once and drawn once for all its viewers.
import { Refusal } from '../../../shared/refusal.ts'
import type { MapLayout } from '../../api/livemap/map-layouts.ts'
import { type Html, html } from '../../http/html.ts'
import { missingBooking } from '../bookings/queries.ts'
import { MomentCache } from '../framework/cache.ts'
import type { Call } from '../framework/page.ts'
import { floorPlanPicture } from '../places/locations/floor-plans.ts'
import { missingLocation } from '../places/locations/queries.ts'
import { bookablesList } from './bookables-list.ts'
import { layoutOf, showCells } from './canvas.ts'
import { describeBookables, formatMoment } from './descriptions.ts'
import { showPanel } from './panel.ts'
import { findMap, type MapBookable, type MapFacts, type MapQuery } from './queries.ts'

/** How old what is shared may be; whoever is handed it asks again when it is that old. */
export const MAP_CACHED_MS = 2_000

export type DrawnMap = {
  facts: MapFacts
  layout: MapLayout
  cells: Html
  list: Html
  /** What is said of the one that stands out. */
  panel: Html | undefined
  /** Both, for a page that is renewed. */
  slots: Html
}

/** One that stands out may be named; the booking that is looked for stands out by itself. */
type MapCall = Call<unknown, MapQuery & { bookable?: number | undefined }>

const maps = new MomentCache<FoundMap>(MAP_CACHED_MS)

export function findDrawnMap(call: MapCall, { anew = false } = {}) {
  const { location, booking, date, time, bookable } = call.query
  const key = JSON.stringify([location, booking, date, time])
  const find = () => findFacts(call)
  const found = anew ? maps.findAnew(call.services, key, find) : maps.find(call.services, key, find)
  return {
    map: found.value.then((map) => map.drawnWith(bookable)),
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
  readonly #words: Map<number, string>
  readonly #drawn = new Map<number | undefined, DrawnMap>()

  constructor(call: MapCall, facts: MapFacts) {
    const { moment, floorPlan, bookables } = facts
    const picture = floorPlan ? floorPlanPicture(call, moment.id, floorPlan) : undefined
    this.#call = call
    this.#facts = facts
    this.#layout = layoutOf(picture, bookables)
    this.#words = describeBookables(bookables, moment)
  }

  drawnWith(bookable: number | undefined): DrawnMap {
    const { booking, bookables } = this.#facts
    const asked = bookable ?? booking?.bookableId
    const marked = bookables.some(({ id }) => id === asked) ? asked : undefined
    const drawn = this.#drawn.get(marked) ?? this.#draw(marked)
    this.#drawn.set(marked, drawn)
    return drawn
  }

  #draw(marked: number | undefined): DrawnMap {
    const [call, facts, layout] = [this.#call, this.#facts, this.#layout]
    const { moment, bookables } = facts
    const { booking, date, time } = call.query
    const describe = ({ id }: MapBookable) => this.#words.get(id) ?? ''
    const addressOf = ({ id }: MapBookable) =>
      `${call.link('/map', { location: moment.id, booking, date, time, bookable: id })}#chosen`
    const label = `Bookables of ${moment.name}`
    const all = call.link(`/places/locations/${moment.id}`)
    const chosen = bookables.find(({ id }) => id === marked)
    const panel = chosen && showPanel(call, chosen, describe(chosen))
    const cells = html`<div data-slot="cells">${showCells(layout, bookables, { marked, label, describe, addressOf })}</div>`
    const list = html`<div data-slot="list">${panel && html`<section class="card" id="chosen" aria-label="Details">${panel}</section>`}<h2>${moment.isNow ? 'Now' : formatMoment(moment)}</h2>${bookablesList(bookables, { addressOf, describe, all })}</div>`
    return { facts, layout, cells, list, panel, slots: html`${cells}${list}` }
  }
}

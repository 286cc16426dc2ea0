// The map of a location: who is where at a moment, now or at any other time, and where a booking is.
import type * as yup from 'yup'
import { object, queryId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { type Html, html } from '../../http/html.ts'
import { type Call, page, type View } from '../framework/page.ts'
import { floorPlanPicture } from '../places/locations/floor-plans.ts'
import { findFloorPlanFacts } from '../places/locations/queries.ts'
import { localDate, localTime } from '../time/fields.ts'
import { formatZone } from '../time/zones.ts'
import { canvas, layoutOf, markers } from './canvas.ts'
import { bookablesList, legend, momentForm } from './parts.ts'
import {
  findMapBooking,
  findMapMoment,
  listMapBookables,
  type MapBookable,
  type MapBooking,
  type MapMoment,
} from './queries.ts'
import { describe, formatMoment, formatTimeAt } from './words.ts'

const query = object({
  location: queryId(),
  booking: queryId(),
  bookable: queryId(),
  date: localDate(),
  time: localTime(),
})
type MapCall = Call<unknown, yup.InferType<typeof query>>

type Facts = {
  moment: MapMoment
  bookables: MapBookable[]
  booking: MapBooking | undefined
  marked: number | undefined
  isNow: boolean
}

const EVERY_SECONDS = 2

export const map = page({
  path: '/map',
  title: 'Map',
  section: 'Places',
  query,
  live: {
    cells: { everySeconds: EVERY_SECONDS, show: cells },
    list: { everySeconds: EVERY_SECONDS, show: list },
  },
  async show(call) {
    const { location, booking } = call.query
    if (!location && !booking) return { redirectTo: call.link('/places') }
    return mapView(call, await factsOf(call))
  },
})

// The page and its parts are shown by one call: what is read once is enough for all of them.
const read = new WeakMap<object, Promise<Facts>>()

function factsOf(call: MapCall): Promise<Facts> {
  const facts = read.get(call) ?? findFacts(call)
  read.set(call, facts)
  return facts
}

async function findFacts(call: MapCall): Promise<Facts> {
  const { location, bookable, date, time } = call.query
  const booking = call.query.booking ? await findMapBooking(call.reads, call.query.booking) : undefined
  if (call.query.booking && !booking) {
    throw new Refusal('not_found', 'This booking does not exist, or it has been cancelled.')
  }
  const locationId = booking?.locationId ?? location ?? 0
  const isAsked = date !== undefined || time !== undefined
  // A booking is shown as it begins, or as it is while it lasts.
  const now = booking && !isAsked ? momentOf(booking, call.now) : call.now
  const moment = await findMapMoment(call.reads, { locationId, now, date, time })
  if (!moment) throw new Refusal('not_found', 'This location does not exist, or it has been deleted.')
  const bookables = await listMapBookables(call.reads, {
    locationId,
    at: moment.at,
    withDeleted: booking?.bookableId,
  })
  const marked = booking?.bookableId ?? bookable
  return { moment, bookables, booking, marked, isNow: !isAsked && now === call.now }
}

function momentOf({ from, to }: MapBooking, now: string): string {
  const instant = new Date(now).getTime()
  const isRunning = new Date(from).getTime() <= instant && (to === null || instant < new Date(to).getTime())
  return isRunning ? now : from
}

async function mapView(call: MapCall, { moment, booking, bookables, isNow }: Facts): Promise<View> {
  const { id, name, building, buildingId } = moment
  const plan = await findFloorPlanFacts(call.reads, id)
  const picture = plan && floorPlanPicture(call, id, plan)
  const zone = formatZone(moment.timezone)
  const shown = canvas(layoutOf(picture, bookables), `Map of ${name}`, await call.live('cells'))
  return {
    title: name,
    lead: booking ? describeBooking(booking, moment) : `${building} · time zone ${zone}`,
    breadcrumbs: [
      ['Places', '/places'],
      [building, `/places/buildings/${buildingId}`],
      [name, `/places/locations/${id}`],
    ],
    tools: html`${plan && html`<a class="button quiet" href="${call.link(`/places/locations/${id}/arrange`)}">Arrange floor plan</a>`}
<a class="button quiet" href="${call.link(`/places/locations/${id}`)}">Bookables</a>`,
    content: html`${momentForm(call, moment, isNow)}
<div class="map" data-map><div class="map-main">${bookables.length === 0 ? nothingHere(call, id) : shown}${legend}</div>
<div class="map-list">${await call.live('list')}</div></div>
<div id="map-panel" class="card map-panel" popover="auto" role="dialog" tabindex="-1" aria-label="Details">
<div data-content></div><button type="button" class="button quiet" popovertarget="map-panel" popovertargetaction="hide">Close</button></div>`,
  }
}

function nothingHere(call: Call, id: number): Html {
  return html`<div class="empty"><p><strong>No bookables yet.</strong></p>
<p><a href="${call.link(`/places/locations/${id}/add`)}">Add bookables</a></p></div>`
}

async function cells(call: MapCall): Promise<Html> {
  const { moment, bookables, marked } = await factsOf(call)
  const { id } = moment
  const plan = await findFloorPlanFacts(call.reads, id)
  const layout = layoutOf(plan && floorPlanPicture(call, id, plan), bookables)
  return markers(layout, bookables, {
    marked,
    label: `Bookables of ${moment.name}`,
    describe: (each) => describe(each, moment),
  })
}

async function list(call: MapCall): Promise<Html> {
  const { moment, bookables, marked, isNow } = await factsOf(call)
  return html`<h2>${isNow ? 'Now' : formatMoment(moment)}</h2>${bookablesList(call, bookables, moment, marked)}`
}

function describeBooking({ bookable, who, from, to }: MapBooking, moment: MapMoment): string {
  const until = to === null ? ', open-ended' : ` until ${formatTimeAt(to, moment)}`
  return `${who} has ${bookable} from ${formatTimeAt(from, moment)}${until} (${formatZone(moment.timezone)})`
}

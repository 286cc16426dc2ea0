// The map of a location: who is where at a moment, now or at any other time, and where a booking is.
import type * as yup from 'yup'
import { object, queryId } from '../../../shared/contracts/fields.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { type Html, html } from '../../http/html.ts'
import { missingBooking } from '../bookings/queries.ts'
import { type Call, page, type View } from '../framework/page.ts'
import { floorPlanPicture } from '../places/locations/floor-plans.ts'
import { findFloorPlanFacts, missingLocation } from '../places/locations/queries.ts'
import { localDate, localTime } from '../time/fields.ts'
import { formatZone } from '../time/zones.ts'
import { bookablesList, legend } from './bookables-list.ts'
import { layoutOf, showCanvas, showCells } from './canvas.ts'
import { describeBookable, formatMoment, formatTimeAt } from './descriptions.ts'
import { momentForm } from './moment-form.ts'
import {
  findMapBooking,
  findMapMoment,
  listMapBookables,
  type MapBookable,
  type MapBooking,
  type MapMoment,
} from './queries.ts'

const query = object({
  location: queryId(),
  booking: queryId(),
  bookable: queryId(),
  date: localDate(),
  time: localTime(),
})
type MapCall = Call<unknown, yup.InferType<typeof query>>

type MapContent = {
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
    cells: { everySeconds: EVERY_SECONDS, show: showLiveCells },
    list: { everySeconds: EVERY_SECONDS, show: showLiveList },
  },
  async show(call) {
    const { location, booking } = call.query
    if (!location && !booking) return { redirectTo: call.link('/places') }
    return showMap(call, await readContent(call))
  },
})

// The page and its parts are shown by one call: what is read once is enough for all of them.
const read = new WeakMap<object, Promise<MapContent>>()

function readContent(call: MapCall): Promise<MapContent> {
  const content = read.get(call) ?? findContent(call)
  read.set(call, content)
  return content
}

async function findContent(call: MapCall): Promise<MapContent> {
  const { location, bookable, date, time } = call.query
  const booking = call.query.booking ? await findMapBooking(call.reads, call.query.booking) : undefined
  if (call.query.booking && !booking) {
    throw new Refusal('not_found', missingBooking)
  }
  const locationId = booking?.locationId ?? location
  if (locationId === undefined) throw new Refusal('not_found', missingLocation)
  const isAsked = date !== undefined || time !== undefined
  // A booking is shown as it begins, or as it is while it lasts.
  const now = booking && !isAsked ? instantShown(booking, call.now) : call.now
  const moment = await findMapMoment(call.reads, { locationId, now, date, time })
  if (!moment) throw new Refusal('not_found', missingLocation)
  const bookables = await listMapBookables(call.reads, {
    locationId,
    at: moment.at,
    withDeleted: booking?.bookableId,
  })
  const marked = booking?.bookableId ?? bookable
  return { moment, bookables, booking, marked, isNow: !isAsked && now === call.now }
}

function instantShown({ from, to }: MapBooking, now: string): string {
  const instant = new Date(now).getTime()
  const isRunning = new Date(from).getTime() <= instant && (to === null || instant < new Date(to).getTime())
  return isRunning ? now : from
}

async function showMap(call: MapCall, { moment, booking, bookables, isNow }: MapContent): Promise<View> {
  const { id, name, building, buildingId } = moment
  const floorPlan = await findFloorPlanFacts(call.reads, id)
  const picture = floorPlan && floorPlanPicture(call, id, floorPlan)
  const shown = showCanvas(layoutOf(picture, bookables), `Map of ${name}`, await call.live('cells'))
  return {
    title: `Map of ${name}`,
    lead: booking ? describeBooking(booking, moment) : building,
    breadcrumbs: [
      ['Places', '/places'],
      [building, `/places/buildings/${buildingId}`],
      [name, `/places/locations/${id}`],
    ],
    tools: html`${floorPlan && html`<a class="button quiet" href="${call.link(`/places/locations/${id}/arrange`)}">Arrange floor plan</a>`}
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

async function showLiveCells(call: MapCall): Promise<Html> {
  const { moment, bookables, marked } = await readContent(call)
  const { id } = moment
  const floorPlan = await findFloorPlanFacts(call.reads, id)
  const layout = layoutOf(floorPlan && floorPlanPicture(call, id, floorPlan), bookables)
  return showCells(layout, bookables, {
    marked,
    label: `Bookables of ${moment.name}`,
    describe: (each) => describeBookable(each, moment),
  })
}

async function showLiveList(call: MapCall): Promise<Html> {
  const { moment, bookables, marked, isNow } = await readContent(call)
  return html`<h2>${isNow ? 'Now' : formatMoment(moment)}</h2>${bookablesList(call, bookables, moment, marked)}`
}

function describeBooking({ bookable, who, from, to }: MapBooking, moment: MapMoment): string {
  const until = to === null ? ', open-ended' : ` until ${formatTimeAt(to, moment)}`
  return `${who} has ${bookable} from ${formatTimeAt(from, moment)}${until} (${formatZone(moment.timezone)})`
}

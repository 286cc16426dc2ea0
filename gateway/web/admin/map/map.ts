// The map page of a location: who is where, now or at another time, and where a booking is.
import type * as yup from 'yup'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, text } from '../../../../shared/schemas/fields.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { showZoomableMap } from '../../pages/map/canvas.ts'
import { showMapLegend } from '../../pages/map/cells.ts'
import { listStateWords } from '../../pages/map/legend.ts'
import { type Call, definePage, type PageView } from '../../pages/page/page.ts'
import { localDate, localTime } from '../../pages/time/fields.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { showSearchForm } from '../../pages/ui/forms.ts'
import { showMoreMenu } from '../../pages/ui/menu.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { missingBookable } from '../bookables/queries.ts'
import { createFloorField, findMainLocation, type ShowFloorField } from '../places/location-pages.ts'
import { bookingForm, bookOnMap, showBookingForm, showPeopleSuggestions } from './book-on-map.ts'
import { formatTimeAt, MAP_NAME_CHOICES } from './describe-bookables.ts'
import type { MapBooking, MapMoment } from './queries.ts'
import { findRenderedMap, MAP_CACHED_MS, type RenderedMap } from './shared-maps.ts'
import { SHOWN_CHOICES } from './sidebar.ts'
import { findOnlySeat, findWhereabouts, formatPlaceAddress, showWhereabouts } from './whereabouts.ts'

const SLIDER_STEP_MINUTES = 15

const query = object({
  location: queryId(),
  booking: queryId(),
  bookable: queryId(),
  date: localDate(),
  time: localTime(),
  shown: SHOWN_CHOICES.rule(),
  names: MAP_NAME_CHOICES.rule(),
  person: text({ max: 255 }),
})
type MapCall = Call<unknown, yup.InferType<typeof query>>

export const mapPage = definePage({
  path: '/map',
  title: sentence`Map`,
  section: 'Map',
  readers: 'reader',
  writers: 'front-desk',
  query,
  actions: (action) => ({ book: action(bookingForm, bookOnMap) }),
  live: {
    map: { everySeconds: MAP_CACHED_MS / 1000, show: showLiveMap },
    panel: { everySeconds: MAP_CACHED_MS / 1000, show: showLivePanel },
    people: { everySeconds: MAP_CACHED_MS / 1000, show: showPeopleSuggestions },
  },
  async findDefaults({ query, reads }) {
    if (query.location || query.booking) return undefined
    const main = await findMainLocation(reads)
    return main && { location: main.id }
  },
  async show(call) {
    if (!call.query.location && !call.query.booking) return { redirectTo: call.link('/places') }
    // The first view is always queried anew, so that it shows what the user has just done. Later updates may
    // be shared with other viewers.
    const [drawn, floorField] = await Promise.all([
      findRenderedMap(call, { anew: true }).map,
      createFloorField(call.reads),
    ])
    const { person } = call.query
    if (person === undefined) return showMap(call, drawn, floorField)
    const { moment } = drawn.facts
    const found = await findWhereabouts(call.reads, person, moment.at)
    const place = findOnlySeat(found)
    if (place) return { redirectTo: formatPlaceAddress(call, place, moment) }
    return showMap(call, drawn, floorField, showWhereabouts(call, found, moment))
  },
})

// Shows an update of the map. A viewer who gets a shared map asks again when that map is two seconds old,
// like everybody else. So nobody sees an older map because of sharing, and each map is queried once for all
// viewers.
async function showLiveMap(call: MapCall) {
  const { map, askAgainInMs } = findRenderedMap(call)
  return { content: (await map).slots, askAgainInMs }
}

async function showLivePanel(call: MapCall) {
  const { panel } = await findRenderedMap(call).map
  if (!panel) throw new Refusal('not_found', missingBookable)
  return panel
}

function showMap(
  call: MapCall,
  { facts, layout, floors, cells, list }: RenderedMap,
  floorField: ShowFloorField,
  people?: Html,
): PageView {
  const { moment, booking, floorPlan, bookables } = facts
  const { id, name, building, buildingId } = moment
  const title = t`Map of ${name}`
  const bookingForms = showBookingForm(call, bookables)
  const canvas = showZoomableMap(layout, { label: title, above: cells, bookables })
  return {
    title,
    lead: booking ? describeBooking(booking, moment) : building,
    breadcrumbs: [
      [t`Places`, '/places'],
      [building, `/places/buildings/${buildingId}`],
      [name, `/places/locations/${id}`],
    ],
    tools: html`${showLink(call.link('/day', { location: id, date: moment.isNow ? null : moment.date }), t`Day`, { class: 'button quiet' })}
${showMoreMenu([
  showLink(call.link(`/places/locations/${id}`), t`Desks and rooms`),
  showLink(
    call.link(`/places/locations/${id}/arrange`),
    floorPlan ? t`Arrange floor plan` : t`Draw a floor plan`,
  ),
])}`,
    content: html`${bookingForms.onPage}<div data-map${call.liveAttributes('map')}>
<div class="map-head">${floors}<button type="button" class="button quiet" popovertarget="moment">${t`Filter`}</button></div>
${showMomentForm(call, moment, floorField)}
${people}
<div class="map"><div class="map-main">${bookables.length === 0 && showNoBookables(call, id)}${(bookables.length > 0 || floorPlan) && canvas}${showMapLegend(t`Legend`, listStateWords())}</div>
<div class="map-list">${list}</div></div></div>
<div id="map-panel" class="card map-panel" popover="auto" role="dialog" tabindex="-1" aria-label="${t`Details`}">
<div data-content></div>${bookingForms.inPanel}<button type="button" class="button quiet" popovertarget="map-panel" popovertargetaction="hide">${t`Close`}</button></div>`,
  }
}

function showNoBookables(call: Call, id: number): Html {
  return showEmptyState(
    t`No desks, rooms or parking yet.`,
    showLink(call.link(`/places/locations/${id}/add`), t`Add desks, rooms or parking`),
  )
}

function describeBooking({ bookable, who, from, to }: MapBooking, moment: MapMoment): string {
  const [start, zone] = [formatTimeAt(from, moment), formatZone(moment.timezone)]
  return to === null
    ? t`${who} booked ${bookable} from ${start}, open-ended (${zone})`
    : t`${who} booked ${bookable} from ${start} until ${formatTimeAt(to, moment)} (${zone})`
}

/** Shows the form that chooses the day and time. It works without scripts; a script adds a slider. */
function showMomentForm(
  call: Call,
  { id, date, time, timezone, isNow }: MapMoment,
  floorField: ShowFloorField,
): Html {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  const slider = formatAttributes({
    min: 0,
    max: 24 * 60 - SLIDER_STEP_MINUTES,
    step: SLIDER_STEP_MINUTES,
    value: hours * 60 + minutes,
    'aria-valuetext': time,
  })
  const now = call.linkHere({ date: null, time: null, booking: null, location: id })
  return html`<div id="moment" class="card moment" popover data-moment>
${showSearchForm(call, t`Show`, (fields) => [
  ...floorField(fields, id),
  fields.text('date', t`Day`, { type: 'date', value: date, required: true }),
  fields.text('time', t`Time`, { type: 'time', value: time, required: true }),
  fields.search('person', t`Person`, { placeholder: t`Name or e-mail` }),
])}
<div class="slider" hidden><label for="moment-slider">${t`Time of day`}</label>
<input type="range" id="moment-slider"${slider}></div>
<p class="soft">${isNow && html`<span data-shown>${t`Live: this map updates automatically.`} </span>`}${showLink(now, t`Back to now`, { 'data-now': true, hidden: isNow })}
${t`Time zone: ${formatZone(timezone)}.`}</p></div>`
}

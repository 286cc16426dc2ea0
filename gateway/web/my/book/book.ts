// The Book page: the person chooses a day and a floor, and sees what is free there for them, on a map or as a list.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import type { RefusalCode } from '../../../../shared/messages/refusal.ts'
import { type Html, html } from '../../../html/html.ts'
import { findFloorPlanFacts } from '../../../reads/map/floor-plans.ts'
import { sentence, t } from '../../locales/translate.ts'
import { type Call, definePage, type PageView } from '../../pages/page/page.ts'
import { listVehicles, type VehicleChoice } from '../../pages/search/choices.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatPlace } from '../../pages/ui/bookables.ts'
import { form } from '../../pages/ui/forms.ts'
import { showLinkOrText } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { showTabs } from '../../pages/ui/tabs.ts'
import { showFloorMap } from './floor-map.ts'
import { findNothingFreeReason } from './nothing-free-reason.ts'
import { showSearchBar } from './search-bar.ts'
import { bookingForm, formatBookButton } from './seat-form.ts'
import { formatSeatPath, showOccupiedSeats, showSeats } from './seat-list.ts'
import {
  findOwnBookingAt,
  listFreeSeats,
  listOccupiedSeats,
  listSeatPositions,
  listTags,
  type OccupiedSeat,
  SEATS_ON_MAP_MAX,
  type Seat,
} from './seats.ts'
import { showNothingFree } from './show-nothing-free.ts'
import { findWantedPlace, parseTags, type WantedPlace, type WantedQuery, wantedQuery } from './wanted.ts'
import { formatShortSpan, formatWantedTime } from './wanted-time.ts'

const SHOWN_DEFAULT = 20
const SHOWN_MAX = 100

const CLOSING_REFUSALS: RefusalCode[] = ['closed', 'outside_opening_hours', 'outside_slots']

type BookCall = Call<unknown, WantedQuery>

export const bookPage = definePage({
  path: '/book',
  title: sentence`Book`,
  section: 'Book',
  query: wantedQuery,
  async show(call): Promise<PageView> {
    const wanted = await findWantedPlace(call)
    if (!wanted) return { content: showEmptyState(t`There is nothing to book yet.`) }
    const { floor, time, type, near, companion } = wanted
    const { all, people } = call.query
    const tags = parseTags(call.query)
    const view =
      call.query.view ?? (floor.hasFloorPlan && type !== BOOKABLE_TYPES.homeOffice ? 'map' : 'list')
    const isMap = view === 'map'
    const shownMax = all ? SHOWN_MAX : SHOWN_DEFAULT
    const limit = isMap ? SEATS_ON_MAP_MAX : shownMax
    const here = { location: floor.locationId, type }
    const [free, sitting, own, present, placed, plan] = await Promise.all([
      time.to > call.now ? listFreeSeats(call, { ...here, near, people, tags }, time, limit + 1) : [],
      listOccupiedSeats(call, here, time),
      findOwnBookingAt(call, type, time),
      listTags(call, here),
      isMap ? listSeatPositions(call, here) : [],
      isMap ? findFloorPlanFacts(call.reads, floor.locationId) : undefined,
    ])
    const reason = free.length === 0 ? await findNothingFreeReason(call, here, time) : undefined
    const isClosed = reason !== undefined && CLOSING_REFUSALS.includes(reason.code)
    const proposed = own && near === undefined ? undefined : findProposal(free, wanted)
    const nothing = free.length === 0 && (await showNothingFree(call, wanted, { people, reason }))
    const list = html`${nothing || showSeats(call, free.slice(0, limit), time, floor.locationId)}
${free.length > limit && !all && html`<p>${showLinkOrText(call.linkHere({ all: 'true' }), t`Show more`, { class: 'button quiet' })}</p>`}
${showOccupiedSeats(call, sitting, wanted, { isClosed, isOffered: free.length > 0 })}`
    const vehicle = proposed?.requiresVehicle
      ? (await listVehicles(call.reads, call.requirePerson().id))[0]
      : undefined
    const above = showProposal(call, wanted, proposed, { sitting, vehicle })
    const notes = html`${companion && !companion.seat && html`<p>${t`${companion.name} has no desk on this day.`}</p>`}
${own && html`<p class="soft">${t`You already have ${formatPlace(own)} at that time.`}</p>`}`
    const marked = proposed?.id ?? near
    return {
      lead: describeShown(wanted),
      tools: showViews(call, view),
      content: html`${showSearchBar(call, wanted, { tags: present, sitting })}
${isMap ? html`${showFloorMap(call, wanted, { free, sitting, marked, placed, plan, above })}${notes}${nothing}` : html`${notes}${above}${list}`}`,
    }
  },
})

const describeShown = ({ floor, floors, time }: WantedPlace): Html =>
  html`<span class="unseen">${formatWantedTime(time)}${floors.some(({ zone }) => zone !== floor.zone) && ` (${formatZone(floor.zone)})`} · </span>${floor.location}, ${floor.building}`

const showViews = (call: BookCall, view: 'map' | 'list') =>
  showTabs(t`View`, [
    { label: t`Map`, address: call.linkHere({ view: 'map' }), isCurrent: view === 'map' },
    { label: t`List`, address: call.linkHere({ view: 'list' }), isCurrent: view === 'list' },
  ])

/** Returns the place to propose: the nearest one to a colleague, or else the person's usual place. */
const findProposal = (free: Seat[], { near }: WantedPlace): Seat | undefined =>
  near === undefined ? free.find(({ isUsual }) => isUsual) : free[0]

/** Shows the proposed place, which one press books. */
function showProposal(
  call: BookCall,
  { near, time }: WantedPlace,
  seat: Seat | undefined,
  { sitting, vehicle }: { sitting: OccupiedSeat[]; vehicle: VehicleChoice | undefined },
): Html | false {
  if (!seat) return false
  const beside = sitting.find(({ seatId, hasLeft }) => seatId === near && !hasLeft)
  const who = beside?.who ?? t`Someone`
  const why = beside ? t`Nearest to ${who} (${beside.seat})` : near === undefined ? t`Your usual place` : ''
  const { action, submit } = formatBookButton(seat)
  const page = { ...call, linkHere: () => formatSeatPath(call, seat.id, time), formOf: () => bookingForm }
  return html`<div class="card my-proposal"><div><strong>${showLinkOrText(formatSeatPath(call, seat.id, time), seat.name, { 'data-sheet': true })}</strong>
<span class="soft">${why}${beside?.isAssigned && html`. ${t`This desk is assigned to them, so nobody knows whether they are in.`}`}${vehicle && ` · ${vehicle.plate}`}</span></div>
${(!seat.requiresVehicle || vehicle) && form(page, { action, submit: html`${submit} <time>${formatShortSpan(time.query)}</time>`, hidden: { seat: seat.id, ...(vehicle && { user_vehicle_id: vehicle.id }) }, isInline: true })}</div>`
}

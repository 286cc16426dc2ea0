// The page that swaps two bookings: each booking moves to the other's desk and keeps its time. If only one
// booking is selected, the page lists the bookings that it can be swapped with.
import { CANCELLATIONS_PER_WRITE_MAX } from '../../../../shared/bookings/bookings.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { findStartOfDay, formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { SqlConditions } from '../../../reads/rows/rows.ts'
import { sentence, t } from '../../locales/translate.ts'
import { backQuery, findBackPath } from '../../pages/page/back.ts'
import { type ActionCall, type Call, definePage } from '../../pages/page/page.ts'
import { idList } from '../../pages/search/id-list.ts'
import { addDaysToDate, showInstant } from '../../pages/time/instants.ts'
import { form, showSearchForm } from '../../pages/ui/forms.ts'
import { type Column, showLink, showTable } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import {
  hasAnyBookingRules,
  overridingField,
  showOverrideRulesField,
} from '../affected-bookings/affected-bookings-form.ts'
import { createNoticeWithAffected } from '../affected-bookings/affected-people.ts'
import { isOver } from './booking.ts'
import { formatUntil } from './bookings.ts'
import { explainConflicts } from './conflicts.ts'
import { describeCurrentPlace } from './move-booking.ts'
import { type BookingRow, listBookings, missingBooking } from './queries.ts'

const OFFERED_MAX = 50

const swapForm = object({
  one: required(queryId()),
  one_place: required(queryId()),
  other: required(queryId()),
  other_place: required(queryId()),
  ...overridingField,
})
type SwapFormCall = ActionCall<unknown, unknown, typeof swapForm.__outputType>

const query = object({ ...backQuery, ids: idList(CANCELLATIONS_PER_WRITE_MAX), person: text({ max: 255 }) })
type SwapCall = Call<unknown, typeof query.__outputType>

export const swapBookingsPage = definePage({
  path: '/bookings/swap',
  title: sentence`Swap bookings`,
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  missing: missingBooking,
  actions: (action) => ({
    swap: action(swapForm, async (call) => {
      const notice = await createNoticeWithAffected(call, await swapChosenBookings(call), { isNamed: true })
      return { redirectTo: call.link(findBackPath(call, `/bookings/${call.form.one}`)), ...notice }
    }),
  }),
  async show(call) {
    const found = await listUnfinishedBookings(call)
    const [one, other] = found
    const above: Array<[string, string]> = [[t`Bookings`, findBackPath(call, '/bookings')]]
    const view = { breadcrumbs: above }
    if (one && other && found.length === 2) {
      const title = t`Swap ${one.bookable} and ${other.bookable}?`
      return { ...view, title, content: await showSwap(call, one, other) }
    }
    if (one && found.length === 1) {
      const title = t`Swap the booking of ${one.user}`
      above.push([t`${one.bookable} for ${one.user}`, `/bookings/${one.id}`])
      return { ...view, title, lead: describeCurrentPlace(one), content: await showSwapCandidates(call, one) }
    }
    return {
      ...view,
      title: t`Nothing to swap`,
      content: showNothingToSwap(call.link(findBackPath(call, '/bookings'))),
    }
  },
})

/** Lists the bookings in the order in which the page's address names them, because the page returns to the
 * first one. Leaves out past bookings. */
async function listUnfinishedBookings({ reads, query, now }: SwapCall): Promise<BookingRow[]> {
  const found = await listBookings(
    reads,
    'WHERE bookings.id = ANY($1) ORDER BY array_position($1::bigint[], bookings.id)',
    [query.ids],
  )
  return found.filter((booking) => !isOver(booking, now))
}

/** Swaps the two bookings. If a third booking conflicts, the refusal says whose booking that is. */
async function swapChosenBookings(call: SwapFormCall): Promise<string> {
  const { one, one_place, other, other_place, overrides_rules } = call.form
  const found = await listBookings(call.reads, 'WHERE bookings.id = ANY($1)', [[one, other]])
  const [first, second] = [one, other].map((id) => found.find((each) => each.id === id))
  if (!first || !second) throw new Refusal('not_found', missingBooking)
  const input = {
    one: { id: one, bookable_id: one_place },
    other: { id: other, bookable_id: other_place },
    overrides_rules,
  }
  const explain = (moving: BookingRow, leaving: BookingRow, write: () => Promise<unknown>) =>
    explainConflicts(call, { ...moving, bookableIds: [leaving.bookableId] }, { booking: leaving.id }, write)
  await explain(first, second, () => explain(second, first, () => call.dispatch('bookings.swap', input)))
  return t`Swapped: ${first.user} now has ${second.bookable}, and ${second.user} has ${first.bookable}.`
}

async function showSwap(call: SwapCall, one: BookingRow, other: BookingRow): Promise<Html> {
  const rows = [
    { ...one, next: other },
    { ...other, next: one },
  ]
  const columns: Column<(typeof rows)[number]>[] = [
    { label: t`Person`, show: ({ user }) => user },
    { label: t`Now`, show: showPlace },
    { label: t`After the swap`, show: ({ next }) => showPlace(next) },
    ...createTimeColumns(),
  ]
  const hidden = {
    one: one.id,
    one_place: one.bookableId,
    other: other.id,
    other_place: other.bookableId,
  }
  const cancel = call.link(findBackPath(call, `/bookings/${one.id}`))
  const hasRules = await hasAnyBookingRules(call.reads, [one.bookableId, other.bookableId])
  return html`${showTable(t`Bookings`, columns, rows, null)}
${form(call, { action: 'swap', submit: t`Swap`, hidden, cancel }, (fields) => showOverrideRulesField(fields, hasRules))}`
}

const showPlace = ({ bookable, location }: BookingRow): Html => html`${bookable} <small>${location}</small>`

const createTimeColumns = (): Column<BookingRow>[] => [
  { label: t`From`, isShort: true, show: ({ from, zone }) => showInstant(from, zone) },
  { label: t`Until`, isShort: true, show: formatUntil },
]

/** Lists bookings of the same type in the same building on the same day that can be swapped with this booking
 * without a conflict. Bookings at the same time come first. */
async function listSwappableBookings(
  { reads, query, now }: SwapCall,
  one: BookingRow,
): Promise<BookingRow[]> {
  const { zone, from, to } = one
  const first = from < now ? now : from
  const dayEnds = findStartOfDay(addDaysToDate(formatLocalDate(first, zone), 1), zone)
  const dayBegins = findStartOfDay(formatLocalDate(first, zone), zone)
  const conditions = new SqlConditions()
  const bind = (value: unknown) => conditions.bind(value)
  const own = {
    id: bind(one.id),
    place: bind(one.bookableId),
    during: `tstzrange(${bind(from)}, ${bind(to)})`,
  }
  conditions.addEqual({ 'bookables.type': one.type, 'locations.building_id': one.buildingId })
  conditions.add(`bookings.exclusive AND bookings.bookable_id <> ${own.place}
    AND bookings.during && tstzrange(${bind(dayBegins < now ? now : dayBegins)}, ${bind(dayEnds)})
    AND NOT EXISTS (
      SELECT FROM bookings AS third
      WHERE third.exclusive AND third.id <> ${own.id} AND third.id <> bookings.id
        AND (third.bookable_id = bookings.bookable_id AND third.during && ${own.during}
          OR third.bookable_id = ${own.place} AND third.during && bookings.during))`)
  if (query.person !== undefined) await conditions.addUserSearch(reads, query.person)
  const order = `bookings.during && ${own.during} DESC, lower(bookings.during), bookings.id`
  const rest = `WHERE ${conditions.sql} ORDER BY ${order} LIMIT ${OFFERED_MAX}`
  return listBookings(reads, rest, conditions.values)
}

async function showSwapCandidates(call: SwapCall, one: BookingRow): Promise<Html> {
  const offered = await listSwappableBookings(call, one)
  const columns: Column<BookingRow>[] = [
    { label: t`Person`, show: ({ user, email }) => html`${user} <small>${email}</small>` },
    { label: t`Desk or room`, show: showPlace },
    ...createTimeColumns(),
    {
      label: t`Actions`,
      isTools: true,
      show: ({ id, user, bookable }) =>
        showLink(call.linkHere({ ids: `${one.id},${id}`, person: null }), t`Swap`, {
          'aria-label': t`Swap with ${user}, ${bookable}`,
        }),
    },
  ]
  const none = showEmptyState(t`Nobody else has a booking on that day that can be swapped.`)
  return html`<div class="card search">${showSearchForm(call, t`Search`, (fields) =>
    fields.search('person', t`Person`, { placeholder: t`Name or e-mail` }),
  )}</div>
${showTable(t`Bookings on that day`, columns, offered, none)}`
}

const showNothingToSwap = (list: string): Html =>
  showEmptyState(t`Select two bookings that have not ended.`, showLink(list, t`Select bookings in the list`))

// The page for days of a series on which somebody else has booked the place. It shows the nearest free places
// on each day, each of which can be booked with one press.
import { message } from '../../../../shared/messages/message.ts'
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { describeSkippedDays } from '../../pages/bookings/several-days.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { localDate } from '../../pages/time/fields.ts'
import { formatDate } from '../../pages/time/instants.ts'
import { form } from '../../pages/ui/forms.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import {
  chooseOtherKind,
  listOtherKindBookings,
  otherKindFields,
  releaseBookings,
  showOtherKindField,
} from './other-kind.ts'
import { listFreeSeats, requireSeat, type Seat, type SeatDetails } from './seats.ts'
import { findWantedTime, timeQuery, type WantedTime } from './wanted-time.ts'

const LISTED_DAYS_MAX = 20

export const formatBookInsteadAddress = (call: Call, id: number, { query }: WantedTime, days: string[]) =>
  call.link(`/book/${id}/instead`, { ...query, date: null, days: days.slice(0, LISTED_DAYS_MAX).join() })

type DayWithSeat = { date: string; time: WantedTime; seat: Seat | undefined }
type InsteadQuery = { days: string; from?: string | undefined; to?: string | undefined }
type InsteadCall = Call<{ id: number }, InsteadQuery>

export const bookInsteadPage = definePage({
  path: '/book/{id}/instead',
  title: sentence`Free instead`,
  section: 'Book',
  params: object({ id: required(queryId()) }),
  query: object({
    from: timeQuery.from,
    to: timeQuery.to,
    days: required(text({ max: 11 * LISTED_DAYS_MAX })),
  }),
  missing: message`This desk or room no longer exists.`,
  actions: (action) => ({
    book: action(object(otherKindFields), async (call) => {
      const wanted = await requireSeat(call, call.params.id)
      const days = (await listDays(call, wanted)).filter(hasSeat)
      const spans = days.map(({ time }) => time)
      const givenUp = await chooseOtherKind(call, wanted, spans)
      const bookings = days.map(({ seat, time }) => ({
        bookable_id: seat.id,
        location_id: seat.locationId,
        user_id: call.requirePerson().id,
        from_time: time.from,
        to_time: time.to,
      }))
      const { data } = await call.dispatch('bookings.create-batch', {
        bookings,
        atomic: false,
        needs_one: true,
      })
      const leftOut = data.flatMap(({ booking, code }, index) =>
        booking ? [] : [{ date: days[index]?.date ?? '', code }],
      )
      await releaseBookings(
        call,
        givenUp,
        spans.filter((_span, index) => data[index]?.booking),
      )
      const count = data.length - leftOut.length
      const booked = plural(count, 'Booked on # more day.', 'Booked on # more days.')
      return { redirectTo: call.link('/'), notice: `${booked}${describeSkippedDays(leftOut)}` }
    }),
  }),
  async show(call) {
    const wanted = await requireSeat(call, call.params.id)
    const days = await listDays(call, wanted)
    const spans = days.filter(hasSeat).map(({ time }) => time)
    const count = spans.length
    const otherKind = await listOtherKindBookings(call, wanted.type, spans)
    const rows = days.map(
      ({ date, time, seat }) =>
        html`<li><span>${formatDate(date, time.isFar ? 'weekdayOfYear' : 'weekday')}</span><span>${seat ? html`<strong>${seat.name}</strong> <span class="soft">${seat.location}</span>` : html`<span class="soft">${t`nothing free`}</span>`}</span></li>`,
    )
    const submit = plural(count, 'Book on # day', 'Book on # days')
    return {
      title: t`Instead of ${wanted.name}`,
      lead: t`For each skipped day, the nearest free place is shown.`,
      content: html`<div class="card"><ul class="my-rows">${rows}</ul>
${count > 0 ? form(call, { action: 'book', submit }, (fields) => showOtherKindField(call, fields, otherKind, wanted.zone)) : showEmptyState(t`Nothing else is free on these days.`)}</div>
<p>${showLink(call.link('/'), t`My day`, { class: 'button quiet' })}</p>`,
    }
  },
})

const hasSeat = (day: DayWithSeat): day is DayWithSeat & { seat: Seat } => day.seat !== undefined

/** Lists the days with their free places. Leaves out places that need approval, because a request is not
 * decided at once. */
function listDays(call: InsteadCall, wanted: SeatDetails): Promise<DayWithSeat[]> {
  const { from, to, days } = call.query
  const dates = days.split(',').filter((each) => localDate().isValidSync(each))
  return Promise.all(
    dates.slice(0, LISTED_DAYS_MAX).map(async (date) => {
      const time = findWantedTime({ date, from, to }, wanted, call.now)
      const { buildingId: building, type, id: near } = wanted
      const free = await listFreeSeats(call, { building, type, near }, time, 5)
      return { date, time, seat: free.find(({ needsApproval }) => !needsApproval) }
    }),
  )
}

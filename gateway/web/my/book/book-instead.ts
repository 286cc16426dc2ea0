// The days of a series on which somebody else has the place: what is nearest and free instead, booked with one press.
import { message } from '../../../../shared/messages/message.ts'
import { object, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import { describeLeftOut } from '../../pages/bookings/several-days.ts'
import { type Call, page } from '../../pages/page/page.ts'
import { localDate } from '../../pages/time/fields.ts'
import { formatDate } from '../../pages/time/instants.ts'
import { form } from '../../pages/ui/forms.ts'
import { showLink } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { chooseOtherKind, giveUp, listOtherKind, otherKindFields, showOtherKind } from './other-kind.ts'
import { listFreeSeats, type OneSeat, requireSeat, type Seat } from './seats.ts'
import { findWantedTime, timeQuery, type WantedTime } from './wanted-time.ts'

const DAYS_MAX = 20

export const insteadAddress = (call: Call, id: number, { query }: WantedTime, days: string[]) =>
  call.link(`/book/${id}/instead`, { ...query, date: null, days: days.slice(0, DAYS_MAX).join() })

type Day = { date: string; time: WantedTime; seat: Seat | undefined }
type Asked = { days: string; from?: string | undefined; to?: string | undefined }
type Called = Call<{ id: number }, Asked>

export const bookInstead = page({
  path: '/book/{id}/instead',
  title: sentence`Free instead`,
  section: 'Book',
  params: object({ id: required(queryId()) }),
  query: object({ from: timeQuery.from, to: timeQuery.to, days: required(text({ max: 11 * DAYS_MAX })) }),
  missing: message`This desk or room does not exist any more.`,
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
      await giveUp(
        call,
        givenUp,
        spans.filter((_span, index) => data[index]?.booking),
      )
      const count = data.length - leftOut.length
      const booked = plural(count, 'Booked on # more day.', 'Booked on # more days.')
      return { redirectTo: call.link('/'), notice: `${booked}${describeLeftOut(leftOut)}` }
    }),
  }),
  async show(call) {
    const wanted = await requireSeat(call, call.params.id)
    const days = await listDays(call, wanted)
    const spans = days.filter(hasSeat).map(({ time }) => time)
    const count = spans.length
    const otherKind = await listOtherKind(call, wanted.type, spans)
    const rows = days.map(
      ({ date, time, seat }) =>
        html`<li><span>${formatDate(date, time.isFar ? 'weekdayOfYear' : 'weekday')}</span><span>${seat ? html`<strong>${seat.name}</strong> <span class="soft">${seat.location}</span>` : html`<span class="soft">${t`nothing free`}</span>`}</span></li>`,
    )
    const submit = plural(count, 'Book it on # day', 'Book them on # days')
    return {
      title: t`Instead of ${wanted.name}`,
      lead: t`The nearest place that is free on the skipped days.`,
      content: html`<div class="card"><ul class="my-rows">${rows}</ul>
${count > 0 ? form(call, { action: 'book', submit }, (fields) => showOtherKind(call, fields, otherKind, wanted.zone)) : showEmpty(t`Nothing else is free on these days.`)}</div>
<p>${showLink(call.link('/'), t`My day`, { class: 'button quiet' })}</p>`,
    }
  },
})

const hasSeat = (day: Day): day is Day & { seat: Seat } => day.seat !== undefined

/** Leaves out what needs approval, because a request is not answered at once. */
function listDays(call: Called, wanted: OneSeat): Promise<Day[]> {
  const { from, to, days } = call.query
  const dates = days.split(',').filter((each) => localDate().isValidSync(each))
  return Promise.all(
    dates.slice(0, DAYS_MAX).map(async (date) => {
      const time = findWantedTime({ date, from, to }, wanted, call.now)
      const { buildingId: building, type, id: near } = wanted
      const free = await listFreeSeats(call, { building, type, near }, time, 5)
      return { date, time, seat: free.find(({ needsApproval }) => !needsApproval) }
    }),
  )
}

// A desk, room or parking spot at a time: one press books it. If it cannot be had, the page says why and offers others.
import type { JobName } from '../../../shared/jobs/jobs.ts'
import { message } from '../../../shared/messages/message.ts'
import { ruleInForce } from '../../../shared/rules/rules-shape.ts'
import { object, queryId, required } from '../../../shared/schemas/fields.ts'
import { type ActionCall, type Call, page } from '../../dashboard/kit/page.ts'
import { sentence, t } from '../../dashboard/locales/translate.ts'
import { findRow } from '../../dashboard/search/rows.ts'
import { form } from '../../dashboard/ui/forms.ts'
import { showFacts, showLink } from '../../dashboard/ui/parts.ts'
import { type Html, html } from '../../http/html.ts'
import { inOwnWords } from './own-words.ts'
import { listFreeSeats, type OneSeat, requireSeat } from './seats.ts'
import { isForMeetings } from './wanted.ts'
import { type Clocks, findWantedTime, formatWanted, timeQuery, type WantedTime } from './wanted-time.ts'

const ALTERNATIVES_MAX = 6

// Another seat than the page's: one of those that are free instead.
const bookingForm = object({ seat: required(queryId()) })

export const bookSeat = page({
  path: '/book/{id}',
  title: sentence`Book`,
  section: 'Book',
  params: object({ id: required(queryId()) }),
  query: object(timeQuery),
  missing: message`This desk or room does not exist any more.`,
  actions: (action) => ({
    book: action(bookingForm, async (call) => {
      const { seat, time } = await write(call, 'bookings.create')
      return { redirectTo: call.link('/'), notice: t`${seat.name} is booked: ${formatWanted(time)}.` }
    }),
    request: action(bookingForm, async (call) => {
      const { seat, time } = await write(call, 'booking-requests.create')
      return {
        redirectTo: call.link('/'),
        notice: t`${seat.name} is requested: ${formatWanted(time)}. It is yours once somebody approves it.`,
      }
    }),
  }),
  async show(call) {
    const seat = await requireSeat(call, call.params.id)
    const time = await findTime(call, seat)
    const others = call.refusedForm ? await showOthers(call, seat, time) : undefined
    const back = call.link('/book', { ...time.query, location: seat.locationId, type: seat.type })
    return {
      title: seat.name,
      lead: `${seat.location}, ${seat.building}`,
      content: html`<div class="card">
${showFacts([
  [t`When`, formatWanted(time)],
  [t`Equipment`, seat.tags.join(', ')],
  [t`Capacity`, seat.capacity],
])}
${bookButton(call, seat)}</div>${others}
<p>${showLink(back, t`Other desks and times`)}</p>`,
    }
  },
})

function bookButton(call: Call, { id, name, needsApproval }: OneSeat, more: { key?: number } = {}): Html {
  const isOther = more.key !== undefined
  const [action, submit] = needsApproval ? ['request', t`Request`] : ['book', t`Book`]
  return form(call, {
    action,
    submit: isOther ? name : submit,
    submitLabel: isOther ? `${submit}: ${name}` : undefined,
    tone: isOther ? 'quiet' : 'primary',
    hidden: { seat: id },
    ...more,
  })
}

/** The nearest first; one press books one of them. */
async function showOthers(
  call: Call,
  { id, type, buildingId }: OneSeat,
  time: WantedTime,
): Promise<Html | false> {
  const wanted = { building: buildingId, type, near: id }
  const free = await listFreeSeats(call, wanted, time, ALTERNATIVES_MAX)
  if (free.length === 0) return false
  const buttons = free.map((seat) => html`<li>${bookButton(call, seat, { key: seat.id })}</li>`)
  return html`<h2>${t`Free instead`}</h2><ul class="my-instead">${buttons}</ul>`
}

type Called = Call<{ id: number }, { date?: string; from?: string; to?: string }>

async function write(
  call: ActionCall<Called['params'], Called['query'], { seat: number }>,
  job: Extract<JobName, 'bookings.create' | 'booking-requests.create'>,
) {
  const seat = await requireSeat(call, call.form.seat)
  const time = await findTime(call, seat)
  const booking = {
    bookable_id: seat.id,
    location_id: seat.locationId,
    user_id: call.requirePerson().id,
    from_time: time.isNow ? null : time.from,
    to_time: time.to,
  }
  await inOwnWords(seat.name, () => call.dispatch(job, booking))
  return { seat, time }
}

async function findTime(call: Called, { id, type, zone }: OneSeat): Promise<WantedTime> {
  const rules = await findRow<Pick<Clocks, 'hours'>>(
    call.reads,
    `SELECT ${ruleInForce('bookables', 'opening_hours')} AS hours FROM bookables
     JOIN locations ON locations.id = bookables.location_id JOIN buildings ON buildings.id = locations.building_id
     WHERE bookables.id = $1`,
    [id],
  )
  return findWantedTime(call.query, { zone, hours: rules?.hours ?? null }, call.now, isForMeetings(type))
}

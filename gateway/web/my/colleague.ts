// A colleague: where they are in the next working days, as far as they let the viewer see it, and whether they are a favourite.

import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { object, pathId, queryFlag, required } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { columnsSql, type RowOf, requireRow, text } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, page } from '../pages/page/page.ts'
import { findCommonZone } from '../pages/search/choices.ts'
import { listBookedSeats, type Seat } from '../pages/search/seats.ts'
import { formatDate } from '../pages/time/instants.ts'
import { form } from '../pages/ui/forms.ts'
import { formatSpan } from './show-bookings.ts'
import { nextWorkingDays } from './week.ts'
import { COLLEAGUE, showNear } from './who-is-in.ts'

const SHOWN = { ...COLLEAGUE, email: text('users.email') }
const MISSING = message`There is no colleague with this number, or they do not show where they sit.`

export const colleague = page({
  path: '/people/{id}',
  title: sentence`Colleague`,
  section: 'Colleagues',
  params: object({ id: pathId() }),
  missing: MISSING,
  actions: (action) => ({
    favourite: action(object({ is_favourite: required(queryFlag()) }), async (call) => {
      const { name } = await findColleague(call)
      const { is_favourite } = call.form
      await call.dispatch('people.set-favourite', {
        user_id: call.requirePerson().id,
        colleague_id: call.params.id,
        is_favourite,
      })
      const notice = is_favourite ? t`${name} is now a favourite.` : t`${name} is no longer a favourite.`
      return { redirectTo: call.linkHere(), notice }
    }),
  }),
  async show(call) {
    const { id, name, email, isFavourite } = await findColleague(call)
    const days = nextWorkingDays(call.now, await findCommonZone(call.reads))
    const seats = await listBookedSeats(
      call.reads,
      id,
      days.map(({ at }) => at),
    )
    return {
      title: name,
      lead: email,
      breadcrumbs: [[t`People`, '/people']],
      tools: form(call, {
        action: 'favourite',
        submit: isFavourite ? t`Remove from favourites` : t`Add to favourites`,
        tone: 'quiet',
        isInline: true,
        hidden: { is_favourite: isFavourite ? 'false' : 'true' },
      }),
      content: html`<section class="card my-floor" aria-label="${t`Where they are`}"><ul>${days.map(
        ({ date }, index) =>
          html`<li><span>${formatDate(date, 'weekday')}</span><span class="soft">${showPlaces(seats[index] ?? [])}</span>${showNearDesk(call, { id, name }, seats[index] ?? [], date)}</li>`,
      )}</ul></section>`,
    }
  },
})

const findColleague = ({ reads, params }: Call<{ id: number }>) =>
  requireRow<RowOf<typeof SHOWN>>(
    MISSING,
    reads,
    `SELECT ${columnsSql(SHOWN)} FROM colleagues AS users WHERE id = $1`,
    [params.id],
  )

type Shown = { id: number; name: string }

/** Links to Book near the colleague's desk, unless they have left it. */
function showNearDesk(call: Call, colleague: Shown, seats: Seat[], date: string): Html | null {
  const desk = seats.find(({ type, to }) => type === BOOKABLE_TYPES.desk && (to === null || to > call.now))
  return desk ? showNear(call, colleague, desk, date) : null
}

/** Without parking spots: they do not say where somebody sits. */
function showPlaces(seats: Seat[]): Html {
  const booked = seats.filter(({ type }) => type !== BOOKABLE_TYPES.parkingSpot)
  if (booked.length === 0) return html`–`
  return html`${booked.map((seat, index) => html`${index > 0 && html`<br>`}${describePlace(seat)}`)}`
}

function describePlace({ type, bookable, location, building, from, to, zone }: Seat): string {
  const place = type === BOOKABLE_TYPES.homeOffice ? t`home office` : `${bookable}, ${location}, ${building}`
  return `${place} · ${formatSpan({ from, to }, zone, from)}`
}

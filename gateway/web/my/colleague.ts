// The page of a colleague: where the colleague is on the next working days, as far as the viewer may see
// that, and whether the colleague is one of the viewer's favourites.

import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { object, pathId, queryFlag, required } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { columnsSql, type RowOf, requireRow, textColumn } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { listUpcomingAbsences } from '../pages/absences/absences.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { findCommonZone } from '../pages/search/choices.ts'
import { type BookedSeat, listBookedSeats } from '../pages/search/seats.ts'
import { formatDate } from '../pages/time/instants.ts'
import { formatSpan } from '../pages/time/spans.ts'
import { form } from '../pages/ui/forms.ts'
import { COLLEAGUE_COLUMNS } from './week/favourites-and-groups.ts'
import { listNextWorkingDays } from './week/working-days.ts'
import { showAway, showNearDeskLink } from './who-is-in.ts'

const SHOWN_COLUMNS = { ...COLLEAGUE_COLUMNS, email: textColumn('users.email') }
const COLLEAGUE_NOT_FOUND = message`There is no colleague with this number, or they do not show where they sit.`

export const colleaguePage = definePage({
  path: '/people/{id}',
  title: sentence`Colleague`,
  section: 'Colleagues',
  params: object({ id: pathId() }),
  missing: COLLEAGUE_NOT_FOUND,
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
    const { id, name, email, isFavourite, awayUntil } = await findColleague(call)
    const days = listNextWorkingDays(call.now, await findCommonZone(call.reads))
    const times = days.map(({ at }) => at)
    const [seats, absences] = await Promise.all([
      listBookedSeats(call.reads, id, times),
      listUpcomingAbsences(call.reads, id, days[0]?.date ?? ''),
    ])
    const isAway = (date: string) => absences.some(({ from, to }) => from <= date && date <= to)
    return {
      title: name,
      lead: html`${email}${showAway({ awayUntil })}`,
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
          html`<li><span>${formatDate(date, 'weekday')}</span><span class="soft">${isAway(date) ? t`away` : showPlaces(seats[index] ?? [])}</span>${showNearDesk(call, { id, name }, seats[index] ?? [], date)}</li>`,
      )}</ul></section>`,
    }
  },
})

const findColleague = ({ reads, params }: Call<{ id: number }>) =>
  requireRow<RowOf<typeof SHOWN_COLUMNS>>(
    COLLEAGUE_NOT_FOUND,
    reads,
    `SELECT ${columnsSql(SHOWN_COLUMNS)} FROM colleagues AS users WHERE id = $1`,
    [params.id],
  )

type NamedColleague = { id: number; name: string }

/** Links to booking a desk near the colleague's desk, unless the colleague has left it. */
function showNearDesk(call: Call, colleague: NamedColleague, seats: BookedSeat[], date: string): Html | null {
  const desk = seats.find(({ type, to }) => type === BOOKABLE_TYPES.desk && (to === null || to > call.now))
  return desk ? showNearDeskLink(call, colleague, desk, date) : null
}

/** Shows where the colleague is. Leaves out parking spots, which do not show where somebody sits. */
function showPlaces(seats: BookedSeat[]): Html {
  const booked = seats.filter(({ type }) => type !== BOOKABLE_TYPES.parkingSpot)
  if (booked.length === 0) return html`–`
  return html`${booked.map((seat, index) => html`${index > 0 && html`<br>`}${describePlace(seat)}`)}`
}

function describePlace({ type, bookable, location, building, from, to, zone }: BookedSeat): string {
  const place = type === BOOKABLE_TYPES.homeOffice ? t`home office` : `${bookable}, ${location}, ${building}`
  return `${place} · ${formatSpan({ from, to }, zone, from)}`
}

// The page that cancels a person's bookings on chosen days in one step. It first shows this week.
import { object } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate, startOfDay } from '../../../../shared/schemas/wall-clock.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { backQuery } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { showDayLinks } from '../../pages/search/day-search.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { searchForm } from '../../pages/ui/forms.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { cancelChecked, cancelForm, cancellationForm } from '../bookings/cancel-bookings.ts'
import { type BookingRow, listBookings } from '../bookings/queries.ts'
import { userPages } from './user.ts'

const LISTED_MAX = 100
const WEEK = 7

const query = object({ ...backQuery, from: localDate(), to: localDate() })
type Query = typeof query.__outputType

export const cancelPeriod = userPages.page({
  path: '/cancel-bookings',
  title: sentence`Cancel bookings`,
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  actions: (action) => ({
    cancel: action(cancelForm, async (call) => ({
      redirectTo: userPages.address(call),
      ...(await cancelChecked(call)),
    })),
  }),
  async show(call, person) {
    const zone = await findCommonZone(call.reads)
    const days = daysOf(call, zone)
    const span = { from: startOfDay(days.first, zone), to: startOfDay(addDaysToDate(days.last, 1), zone) }
    const found = await listWithin(call, span)
    const isWithin = ({ from, to }: BookingRow) => from >= span.from && to !== null && to <= span.to
    const none = showEmpty(t`No bookings on these days that could be cancelled.`)
    const cancel = userPages.address(call)
    return {
      title: t`Cancel bookings of ${person.name}`,
      lead: t`Time zone: ${formatZone(zone)}. Bookings that last beyond these days are not selected.`,
      content: html`<div class="card search">${searchForm(call, t`Show`, (fields) => [
        fields.text('from', t`First day`, { type: 'date', value: days.first }),
        fields.text('to', t`Last day`, { type: 'date', value: days.last }),
      ])}${showDayLinks(call, days)}</div>
${found.length === 0 ? none : cancellationForm(call, found, { cancel, isChecked: isWithin })}
${found.length === LISTED_MAX && html`<p class="soft">${t`Only the first ${LISTED_MAX} are shown.`}</p>`}`,
    }
  },
})

/** This week, from Monday on, unless other days are chosen. */
function daysOf({ query, now }: Call<unknown, Query>, zone: string) {
  const today = formatLocalDate(now, zone)
  const monday = addDaysToDate(today, -((new Date(today).getUTCDay() + 6) % WEEK))
  const first = query.from ?? monday
  const last = query.to ?? addDaysToDate(first, WEEK - 1)
  return { today, first, last: last < first ? first : last }
}

const listWithin = (
  { reads, params, now }: Call<{ id: number }>,
  { from, to }: { from: string; to: string },
): Promise<BookingRow[]> =>
  listBookings(
    reads,
    `WHERE bookings.user_id = $1 AND bookings.during && tstzrange($2, $3) AND bookings.during && tstzrange($4, NULL)
       AND bookings.released_at IS NULL
     ORDER BY lower(bookings.during), bookings.id LIMIT ${LISTED_MAX}`,
    [params.id, from, to, now],
  )

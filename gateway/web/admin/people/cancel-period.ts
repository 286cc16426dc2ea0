// The page that cancels a person's bookings on chosen days in one step. Initially it shows this week.
import { object } from '../../../../shared/schemas/fields.ts'
import { findStartOfDay, formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { backQuery } from '../../pages/page/back.ts'
import type { Call } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { showDayLinks } from '../../pages/search/day-search.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { showSearchForm } from '../../pages/ui/forms.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { cancelCheckedBookings, cancelForm, showCancellationForm } from '../bookings/cancel-bookings.ts'
import { type BookingRow, listBookings } from '../bookings/queries.ts'
import { userPages } from './user.ts'

const LISTED_BOOKINGS_MAX = 100
const WEEK_DAYS = 7

const query = object({ ...backQuery, from: localDate(), to: localDate() })
type PeriodQuery = typeof query.__outputType

export const cancelPeriodPage = userPages.page({
  path: '/cancel-bookings',
  title: sentence`Cancel bookings`,
  readers: 'front-desk',
  writers: 'front-desk',
  query,
  actions: (action) => ({
    cancel: action(cancelForm, async (call) => ({
      redirectTo: userPages.address(call),
      ...(await cancelCheckedBookings(call)),
    })),
  }),
  async show(call, person) {
    const zone = await findCommonZone(call.reads)
    const days = chooseDays(call, zone)
    const span = {
      from: findStartOfDay(days.first, zone),
      to: findStartOfDay(addDaysToDate(days.last, 1), zone),
    }
    const found = await listBookingsWithin(call, span)
    const isWithin = ({ from, to }: BookingRow) => from >= span.from && to !== null && to <= span.to
    const none = showEmptyState(t`There are no bookings to cancel on these days.`)
    const cancel = userPages.address(call)
    return {
      title: t`Cancel bookings of ${person.name}`,
      lead: t`Time zone: ${formatZone(zone)}. Bookings that last beyond these days are not selected.`,
      content: html`<div class="card search">${showSearchForm(call, t`Show`, (fields) => [
        fields.text('from', t`First day`, { type: 'date', value: days.first }),
        fields.text('to', t`Last day`, { type: 'date', value: days.last }),
      ])}${showDayLinks(call, days)}</div>
${found.length === 0 ? none : showCancellationForm(call, found, { cancel, isChecked: isWithin })}
${found.length === LISTED_BOOKINGS_MAX && html`<p class="soft">${t`Only the first ${LISTED_BOOKINGS_MAX} are shown.`}</p>`}`,
    }
  },
})

/** Returns the chosen days. Defaults to this week, starting on Monday. */
function chooseDays({ query, now }: Call<unknown, PeriodQuery>, zone: string) {
  const today = formatLocalDate(now, zone)
  const monday = addDaysToDate(today, -((new Date(today).getUTCDay() + 6) % WEEK_DAYS))
  const first = query.from ?? monday
  const last = query.to ?? addDaysToDate(first, WEEK_DAYS - 1)
  return { today, first, last: last < first ? first : last }
}

const listBookingsWithin = (
  { reads, params, now }: Call<{ id: number }>,
  { from, to }: { from: string; to: string },
): Promise<BookingRow[]> =>
  listBookings(
    reads,
    `WHERE bookings.user_id = $1 AND bookings.during && tstzrange($2, $3) AND bookings.during && tstzrange($4, NULL)
       AND bookings.released_at IS NULL
     ORDER BY lower(bookings.during), bookings.id LIMIT ${LISTED_BOOKINGS_MAX}`,
    [params.id, from, to, now],
  )

// Links closed times to the bookings on those days, which may have been kept.
import type { ClosedTimes } from '../../../../shared/rules/closed-times.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { t } from '../../locales/translate.ts'
import { formatDate } from '../../pages/time/instants.ts'

export type ClosedPlace = { building?: number | undefined; place?: string | null }

/** Links to the bookings on the days from `from` to `to`. */
export function linkToBookingsOnDays(
  { from, to }: { from: string; to: string },
  { building, place }: ClosedPlace,
) {
  const search = new URLSearchParams({ from, to })
  if (building !== undefined) search.set('building', String(building))
  if (place) search.set('place', place)
  const label =
    from === to
      ? t`Bookings on ${formatDate(from, 'long')}`
      : t`Bookings from ${formatDate(from, 'long')} to ${formatDate(to, 'long')}`
  return { label, path: `/bookings?${search}` }
}

/** Links to the bookings from the first of the closed times to the last. */
export function linkToBookingsDuring(times: readonly ClosedTimes[], zone: string, place: ClosedPlace) {
  const [from] = times.map((each) => each.from).sort()
  const to = times
    .map((each) => each.to)
    .sort()
    .at(-1)
  if (from === undefined || to === undefined) return undefined
  const last = new Date(Date.parse(to) - 1).toISOString()
  return linkToBookingsOnDays({ from: formatLocalDate(from, zone), to: formatLocalDate(last, zone) }, place)
}

// Formats time spans for the people's pages.
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { t } from '../../locales/translate.ts'
import { addDaysToDate, formatDate, formatTime } from './instants.ts'
import { markZone } from './zones.ts'

type TimeSpan = { from: string; to: string | null }

// The number of days after which a date is shown with its year.
const DAYS_WITHOUT_YEAR_MAX = 300

/** Formats a time span: `09:00 – 17:00` today, `Fri 20 Nov, 09:00 – 17:00` on other days. */
export const formatSpan = (span: TimeSpan, zone: string, now: string): string =>
  formatSpanBeside(span, zone, { today: formatLocalDate(now, zone), shown: formatLocalDate(now, zone) })

/** Formats a time span below a heading that shows its first day: `09:00 – 17:00`. */
export const formatSpanOfDay = (span: TimeSpan, zone: string, now: string): string =>
  formatSpanBeside(span, zone, { today: formatLocalDate(now, zone), shown: formatLocalDate(span.from, zone) })

function formatSpanBeside(
  { from, to }: TimeSpan,
  zone: string,
  { today, shown }: { today: string; shown: string },
): string {
  const beside = (instant: string, day: string) => {
    const own = formatLocalDate(instant, zone)
    if (own === day) return formatTime(instant, zone)
    const isFar = own > addDaysToDate(today, DAYS_WITHOUT_YEAR_MAX)
    return `${formatDate(own, isFar ? 'weekdayOfYear' : 'weekday')}, ${formatTime(instant, zone)}`
  }
  const end = to === null ? t`open-ended` : beside(to, formatLocalDate(from, zone))
  return `${beside(from, shown)} – ${end}${markZone(zone)}`
}

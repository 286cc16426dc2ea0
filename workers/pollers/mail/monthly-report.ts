// The monthly report by mail: queued once for each administrator who wants it, when the figures of a month are complete,
// however late that is; and its text, in their language.
import type { Knex } from 'knex'
import { writeIn } from '../../../shared/messages/catalogs.ts'
import { DEFAULT_LANGUAGE, isLanguage, type Language, LOCALES } from '../../../shared/messages/languages.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { figuresSql, weekdaysSql } from '../../../shared/reports/conditions.ts'
import { hoursSql } from '../../../shared/reports/figures.ts'
import { addDays } from '../../../shared/reports/periods.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'

// As on the page.
const [FROM_HOUR, TO_HOUR] = [8, 18]
const BUILDINGS_MAX = 20

/**
 * One statement, so that a mail is queued exactly if the month is noted. If two processes do it at once, the second waits
 * for the row and then finds the month there.
 */
export async function queueMonthlyReports(database: Knex): Promise<void> {
  await database.raw(`
    WITH complete AS (
      SELECT (date_trunc('month', (min(last_day) + 1)::timestamp) - interval '1 month')::date AS month FROM figured_locations
    ), wanted AS (
      UPDATE monthly_report_mails SET last_month = month FROM complete WHERE last_month < month RETURNING admin_id, month
    )
    INSERT INTO mails (kind, admin_id, month) SELECT 'monthly-report', admin_id, month FROM wanted`)
}

type Sums = { available: number; booked: number; bookings: number; noShows: number }
type BuildingSums = Sums & { id: number; name: string }

export type MonthlyReport = {
  month: string
  language: Language
  buildings: BuildingSums[]
  former: BuildingSums[]
}

/** `month` is its first day. */
export async function readMonthlyReport(
  database: Knex,
  month: string,
  wanted: string,
): Promise<MonthlyReport> {
  const sums = (first: string) =>
    readSums(database, { first_day: first, last_day: addDays(nextMonth(first), -1) })
  const [buildings, former] = [await sums(month), await sums(firstDay(addDays(month, -1)))]
  return { month, language: isLanguage(wanted) ? wanted : DEFAULT_LANGUAGE, buildings, former }
}

const firstDay = (day: string) => `${day.slice(0, 7)}-01`
const nextMonth = (first: string) => firstDay(addDays(first, 31))

async function readSums(
  database: Knex,
  days: { first_day: string; last_day: string },
): Promise<BuildingSums[]> {
  const sum = (sql: string) => `sum(sign * ${sql})::float8`
  const { rows } = await database.raw(`
    SELECT buildings.id, buildings.name, ${sum(hoursSql('available', FROM_HOUR, TO_HOUR))} AS available,
      ${sum(hoursSql('booked', FROM_HOUR, TO_HOUR))} AS booked, ${sum('bookings')} AS bookings,
      ${sum('no_shows')} AS "noShows"
    FROM ${figuresSql('location_figures', days)}
    JOIN locations ON locations.id = location_id JOIN buildings ON buildings.id = building_id
    WHERE ${weekdaysSql({ weekdays_only: true })}
    GROUP BY buildings.id ORDER BY ${naturalSql('buildings.name')}, buildings.id`)
  return rows
}

export function writeMonthlyReport({ month, language, buildings, former }: MonthlyReport, publicUrl: string) {
  const locale = LOCALES[language]
  const say = (words: Message) => writeIn(language, words)
  const nameMonth = (day: string, more: Intl.DateTimeFormatOptions = {}) =>
    new Date(day).toLocaleDateString(locale, { timeZone: 'UTC', month: 'long', ...more })
  const number = (value: number) => value.toLocaleString(locale)
  const [now, then] = [addUp(buildings), addUp(former)]
  const rows: Row[] = [
    [say(message`Utilisation`), share(now), share(then)],
    [say(message`Bookings`), number(now.bookings), number(then.bookings)],
    [say(message`No-shows`), number(now.noShows), number(then.noShows)],
    ...(buildings.length > 1 ? buildings.slice(0, BUILDINGS_MAX) : []).map((each): Row => {
      const before = former.find(({ id }) => id === each.id)
      return [say(message`Utilisation of ${each.name}`), share(each), share(before)]
    }),
  ]
  const content: Content = {
    title: say(message`Report of ${nameMonth(month, { year: 'numeric' })}`),
    months: [nameMonth(month), nameMonth(addDays(month, -1))],
    rows,
    explained: say(
      message`Utilisation is the share of the time from 8:00 to 18:00, Monday to Friday, that was booked.`,
    ),
    links: [
      [say(message`The whole report, to print:`), `${publicUrl}/dashboard/reports/month?month=${month}`],
      [
        say(message`You get this mail every month because you asked for it. To stop it:`),
        `${publicUrl}/dashboard/reports/month#mail`,
      ],
    ],
  }
  return { subject: `Berth: ${content.title}`, text: toText(content), html: toHtml(content) }
}

type Row = [words: string, now: string, then: string]
type Content = {
  title: string
  months: [now: string, then: string]
  rows: Row[]
  explained: string
  links: Array<[words: string, address: string]>
}

const addUp = (all: Sums[]): Sums =>
  all.reduce(
    (sum, { available, booked, bookings, noShows }) => ({
      available: sum.available + available,
      booked: sum.booked + booked,
      bookings: sum.bookings + bookings,
      noShows: sum.noShows + noShows,
    }),
    { available: 0, booked: 0, bookings: 0, noShows: 0 },
  )

const share = (sums: Sums | undefined): string =>
  sums === undefined || sums.available === 0 ? '–' : `${Math.round((100 * sums.booked) / sums.available)} %`

function toText({ title, months, rows, explained, links }: Content): string {
  const lines = rows.map(([words, now, then]) => `${words}: ${now} (${months[1]}: ${then})`)
  const parts = [title, lines.join('\n'), explained, ...links.map((link) => link.join('\n'))]
  return `${parts.join('\n\n')}\n`
}

// Plain elements and few styles: what every mail program shows.
function toHtml({ title, months, rows, explained, links }: Content): string {
  const cell = (tag: string, text: string, align = 'right') =>
    `<${tag} style="text-align:${align};padding:4px 12px 4px 0">${escapeHtml(text)}</${tag}>`
  const line = ([words, ...values]: Row, tag: string) =>
    `<tr>${cell('th', words, 'left')}${values.map((value) => cell(tag, value)).join('')}</tr>`
  const paragraph = ([words, address]: [string, string]) =>
    `<p>${escapeHtml(words)}<br><a href="${escapeHtml(address)}">${escapeHtml(address)}</a></p>`
  return `<!doctype html>
<html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="font-family:sans-serif"><h1 style="font-size:20px">${escapeHtml(title)}</h1>
<table style="border-collapse:collapse">${line(['', ...months], 'th')}${rows.map((row) => line(row, 'td')).join('\n')}</table>
<p>${escapeHtml(explained)}</p>
${links.map(paragraph).join('\n')}
</body></html>
`
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign)

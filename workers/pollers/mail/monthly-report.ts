// Queues the monthly report by mail, once for each administrator who wants it, as soon as the figures of a month are
// complete. Also writes the text of the report in the administrator's language.
import type { Knex } from 'knex'
import { writeInLanguage } from '../../../shared/messages/catalogs.ts'
import { DEFAULT_LANGUAGE, isLanguage, type Language, LOCALES } from '../../../shared/messages/languages.ts'
import { type Message, message } from '../../../shared/messages/message.ts'
import { figuresSql, weekdaysSql } from '../../../shared/reports/conditions.ts'
import { hoursSql } from '../../../shared/reports/figures.ts'
import { addDays } from '../../../shared/reports/periods.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'

// The hours of the day that the report page shows by default.
const [FROM_HOUR, TO_HOUR] = [8, 18]
const BUILDINGS_MAX = 20

/**
 * Queues reports with a single statement, so that a mail is queued exactly if its month is recorded. If two processes
 * run the statement at once, the second waits for the row and then finds the month already recorded.
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

type ReportSums = { available: number; booked: number; bookings: number; noShows: number }
type BuildingSums = ReportSums & { id: number; name: string }

export type MonthlyReport = {
  month: string
  language: Language
  buildings: BuildingSums[]
  former: BuildingSums[]
}

/** Reads the figures of a monthly report. `month` is the first day of the month. */
export async function readMonthlyReport(
  database: Knex,
  month: string,
  wanted: string,
): Promise<MonthlyReport> {
  const sums = (first: string) =>
    readReportSums(database, { first_day: first, last_day: addDays(getNextMonth(first), -1) })
  const [buildings, former] = [await sums(month), await sums(getFirstOfMonth(addDays(month, -1)))]
  return { month, language: isLanguage(wanted) ? wanted : DEFAULT_LANGUAGE, buildings, former }
}

const getFirstOfMonth = (day: string) => `${day.slice(0, 7)}-01`
const getNextMonth = (first: string) => getFirstOfMonth(addDays(first, 31))

async function readReportSums(
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
  const say = (words: Message) => writeInLanguage(language, words)
  const nameMonth = (day: string, more: Intl.DateTimeFormatOptions = {}) =>
    new Date(day).toLocaleDateString(locale, { timeZone: 'UTC', month: 'long', ...more })
  const number = (value: number) => value.toLocaleString(locale)
  const [now, then] = [addSums(buildings), addSums(former)]
  const rows: ReportRow[] = [
    [say(message`Utilisation`), formatShare(now), formatShare(then)],
    [say(message`Bookings`), number(now.bookings), number(then.bookings)],
    [say(message`No-shows`), number(now.noShows), number(then.noShows)],
    ...(buildings.length > 1 ? buildings.slice(0, BUILDINGS_MAX) : []).map((each): ReportRow => {
      const before = former.find(({ id }) => id === each.id)
      return [say(message`Utilisation of ${each.name}`), formatShare(each), formatShare(before)]
    }),
  ]
  const content: ReportContent = {
    title: say(message`Report for ${nameMonth(month, { year: 'numeric' })}`),
    months: [nameMonth(month), nameMonth(addDays(month, -1))],
    rows,
    explained: say(
      message`Utilisation is the share of the time from 8:00 to 18:00, Monday to Friday, that was booked.`,
    ),
    links: [
      [say(message`The whole report, to print:`), `${publicUrl}/dashboard/reports/month?month=${month}`],
      [
        say(message`You get this e-mail every month because you asked for it. To stop it:`),
        `${publicUrl}/dashboard/reports/month#mail`,
      ],
    ],
  }
  return { subject: `Berth: ${content.title}`, text: formatText(content), html: formatHtml(content) }
}

type ReportRow = [words: string, now: string, then: string]
type ReportContent = {
  title: string
  months: [now: string, then: string]
  rows: ReportRow[]
  explained: string
  links: Array<[words: string, address: string]>
}

const addSums = (all: ReportSums[]): ReportSums =>
  all.reduce(
    (sum, { available, booked, bookings, noShows }) => ({
      available: sum.available + available,
      booked: sum.booked + booked,
      bookings: sum.bookings + bookings,
      noShows: sum.noShows + noShows,
    }),
    { available: 0, booked: 0, bookings: 0, noShows: 0 },
  )

const formatShare = (sums: ReportSums | undefined): string =>
  sums === undefined || sums.available === 0 ? '–' : `${Math.round((100 * sums.booked) / sums.available)} %`

function formatText({ title, months, rows, explained, links }: ReportContent): string {
  const lines = rows.map(([words, now, then]) => `${words}: ${now} (${months[1]}: ${then})`)
  const parts = [title, lines.join('\n'), explained, ...links.map((link) => link.join('\n'))]
  return `${parts.join('\n\n')}\n`
}

// Writes the report as HTML. Uses plain elements and few styles, which every mail program supports.
function formatHtml({ title, months, rows, explained, links }: ReportContent): string {
  const cell = (tag: string, text: string, align = 'right') =>
    `<${tag} style="text-align:${align};padding:4px 12px 4px 0">${escapeHtml(text)}</${tag}>`
  const line = ([words, ...values]: ReportRow, tag: string) =>
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

const HTML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (sign) => HTML_ENTITIES[sign] ?? sign)

// Shows the people affected by one write: the notice names some of them, and a page lists all of them with
// their e-mail addresses and a file to download, so that an administrator can notify them at once.
import type pg from 'pg'
import {
  AFFECTING_ACTIONS,
  affectedPeopleSql as affectedSql,
} from '../../../../shared/affected-bookings/affected-people.ts'
import {
  IS_MAIL_FAILED_SQL,
  IS_MUTED_SQL,
  IS_PUSHED_SQL,
  isMailPendingSql,
  joinMailsSql,
} from '../../../../shared/affected-bookings/mailed-people.ts'
import { getOnlyRow } from '../../../../shared/database/database.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../../shared/schemas/fields.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import {
  flagColumn,
  instantColumn,
  nullableColumn,
  numberColumn,
  type RowOf,
  selectRows,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { startExport } from '../../pages/page/downloads.ts'
import { type ActionCall, type Call, definePage } from '../../pages/page/page.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import {
  type Column,
  formatNumber,
  showCard,
  showCopyable,
  showLinkOrText,
  showMailLink,
  showTable,
} from '../../pages/ui/parts.ts'

const NAMED_PEOPLE_MAX = 3
const SHOWN_PEOPLE_MAX = 100
const MAILTO_ADDRESSES_MAX = 200
// The maximum length of a mailto address. Some browsers and mail programs cut off longer ones.
const MAILTO_LENGTH_MAX = 1_500

const AFFECTED_COLUMNS = {
  userId: numberColumn('user_id'),
  person: textColumn('person'),
  email: textColumn('email'),
  event: nullableColumn(textColumn('event')),
  bookable: textColumn('bookable'),
  location: nullableColumn(textColumn('location')),
  zone: textColumn('timezone'),
  from: instantColumn('lower(during)'),
  to: nullableColumn(instantColumn('upper(during)')),
  bookableNow: nullableColumn(textColumn('bookable_now')),
  locationNow: nullableColumn(textColumn('location_now')),
  fromNow: nullableColumn(instantColumn('lower(during_now)')),
  toNow: nullableColumn(instantColumn('upper(during_now)')),
}
type AffectedBooking = RowOf<typeof AFFECTED_COLUMNS>

const listAffectedBookings = (reads: pg.Pool, entry: number, limit: number): Promise<AffectedBooking[]> =>
  selectRows(reads, AFFECTED_COLUMNS, `${affectedSql('$1')} ORDER BY lower(during), id LIMIT $2`, [
    entry,
    limit,
  ])

/**
 * Returns the notice of an action: the given words and the people affected, with a link to all of them. `isNamed` means
 * that the words already name them.
 */
export async function createNoticeWithAffected(call: ActionCall, words: string, { isNamed = false } = {}) {
  const reads = call.services.primary
  const entry = await findEntryWithAffected(reads, call.lastAttempt())
  const affected = entry === null ? [] : await listAffectedBookings(reads, entry, SEARCHED_ENTRIES_MAX)
  if (entry === null || affected.length === 0) return { notice: words }
  return { notice: isNamed ? words : `${words} ${describeFirst(affected)}.`, more: linkToAffected(entry) }
}

export const linkToAffected = (entry: number) => ({
  label: t`People to notify`,
  path: `/bookings/affected/${entry}`,
})

const SEARCHED_ENTRIES_MAX = 1_000

/** Finds the first entry of this attempt that affects somebody. */
export async function findEntryWithAffected(reads: pg.Pool, attempt: string | undefined) {
  const found = { id: nullableColumn(numberColumn('min(id)')) }
  const sql = 'audit_log WHERE attempt = $1 AND action = ANY($2)'
  return getOnlyRow(await selectRows(reads, found, sql, [attempt ?? null, AFFECTING_ACTIONS])).id
}

/** Separates the descriptions by semicolons, because they contain commas. */
function describeFirst(affected: AffectedBooking[]): string {
  const named = affected.slice(0, NAMED_PEOPLE_MAX).map(describeBooking).join('; ')
  const others = affected.length - NAMED_PEOPLE_MAX
  return others > 0 ? t`${named}; and ${formatNumber(others)} more` : named
}

const describeBooking = (row: AffectedBooking): string =>
  `${row.person}: ${describeChange(row)}, ${describeTimes(row)}`

function describeChange(row: AffectedBooking): string {
  if (row.bookableNow === null) return t`${row.bookable} cancelled`
  return row.bookableNow === row.bookable && row.locationNow === row.location
    ? row.bookable
    : `${row.bookable} → ${row.bookableNow}`
}

/** Shows the old time of a booking, or the new time if only the time has changed. */
function describeTimes({ from, to, fromNow, toNow, zone }: AffectedBooking): string {
  const [start, end] = fromNow === null ? [from, to] : [fromNow, toNow]
  const begin = formatDayAndTime(start, zone)
  return end === null ? t`${begin}, open-ended` : t`${begin} to ${formatTimeBeside(end, start, zone)}`
}

const MAIL_JOINS = joinMailsSql('$1')

const MAILED_COLUMNS = {
  ...AFFECTED_COLUMNS,
  mailedAt: nullableColumn(instantColumn('mail.sent_at')),
  isFailed: flagColumn(IS_MAIL_FAILED_SQL),
  isMailPending: flagColumn(isMailPendingSql('$1')),
  isPushed: flagColumn(IS_PUSHED_SQL),
  isMuted: flagColumn(IS_MUTED_SQL),
}
type MailedPerson = RowOf<typeof MAILED_COLUMNS>

const listMailedPeople = (reads: pg.Pool, entry: number, limit: number): Promise<MailedPerson[]> =>
  selectRows(
    reads,
    MAILED_COLUMNS,
    `${affectedSql('$1')} ${MAIL_JOINS} ORDER BY lower(during), affected.id LIMIT $2`,
    [entry, limit],
  )

const COUNT_COLUMNS = {
  people: numberColumn('count(DISTINCT affected.user_id)'),
  mailed: numberColumn('count(DISTINCT affected.user_id) FILTER (WHERE mail.sent_at IS NOT NULL)'),
}

/** Says how many of the affected people got a mail. */
async function describeMailedCount(call: Call, entry: number): Promise<string> {
  const { people, mailed } = getOnlyRow(
    await selectRows(call.reads, COUNT_COLUMNS, `${affectedSql('$1')} ${MAIL_JOINS}`, [entry]),
  )
  if (mailed === 0)
    return sendsMail(call)
      ? t`Berth has not sent an e-mail to any of these people.`
      : t`Berth does not send e-mail here. Please tell these people yourself.`
  return mailed === people
    ? t`Berth has sent an e-mail to all of these people.`
    : t`Berth has sent an e-mail to ${formatNumber(mailed)} of these ${formatNumber(people)} people.`
}

const missing = message`Nobody was affected, or the audit log no longer names the people.`

export const affectedPeoplePage = definePage({
  path: '/bookings/affected/{id}',
  title: sentence`People to notify`,
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  missing,
  downloads: { csv: (call) => createFile('csv', call), xlsx: (call) => createFile('xlsx', call) },
  async show(call) {
    const affected = await listMailedPeople(call.reads, call.params.id, SHOWN_PEOPLE_MAX + 1)
    if (affected.length === 0) throw new Refusal('not_found', missing)
    const more = affected.length > SHOWN_PEOPLE_MAX
    const link = (format: ExportFormat) => showLinkOrText(call.download(format), format, { download: true })
    return {
      lead: await describeMailedCount(call, call.params.id),
      breadcrumbs: [[t`Bookings`, '/bookings']],
      content: html`${await showAddresses(call)}
<section>${showTable(t`People to notify`, createColumns(call), affected.slice(0, SHOWN_PEOPLE_MAX), '')}
${more && html`<p class="soft">${t`Only the first ${SHOWN_PEOPLE_MAX} are shown.`}</p>`}
<p class="soft files">${tHtml`Download all of them: ${link('csv')}, ${link('xlsx')}.`}</p></section>`,
    }
  },
})

const createFile = (format: ExportFormat, call: Call<{ id: number }>) => {
  const { id } = call.params
  return startExport(call, `people-to-tell-${id}`, 'bookings.export-affected', { format, entry_id: id })
}

async function showAddresses(call: Call<{ id: number }>): Promise<Html> {
  const distinct = `(SELECT DISTINCT email FROM ${affectedSql('$1')}) AS people`
  const found = await selectRows(call.reads, { email: textColumn('email') }, `${distinct} ORDER BY email`, [
    call.params.id,
  ])
  const title = plural(found.length, '# person', '# people')
  if (found.length > MAILTO_ADDRESSES_MAX)
    return showCard(
      title,
      html`<p>${t`There are more than ${formatNumber(MAILTO_ADDRESSES_MAX)} e-mail addresses. The file lists all of them.`}</p>`,
      'addresses',
    )
  const addresses = found.map(({ email }) => email)
  return showCard(
    title,
    html`${showCopyable('addresses-text', addresses.join(', '), t`Copy e-mail addresses`)}
${addresses.join().length <= MAILTO_LENGTH_MAX && html`<p>${showMailLink(addresses, t`Write an e-mail`)}</p>`}`,
    'addresses',
  )
}

const createColumns = (call: Call): Column<MailedPerson>[] => [
  {
    label: t`Person`,
    show: ({ userId, person, email }) =>
      html`${showLinkOrText(call.link(`/people/${userId}`), person)} <small>${email}</small>`,
  },
  { label: t`Event`, show: ({ event }) => event },
  { label: t`Before`, show: ({ bookable, location }) => html`${bookable} <small>${location}</small>` },
  { label: t`When`, show: (row) => describeTimes({ ...row, fromNow: null, toNow: null }) },
  { label: t`Now`, show: showTimeNow },
  { label: t`Mail`, show: (row) => describeMail(call, row) },
]

const sendsMail = ({ services: { config } }: Call) => config.mail !== undefined && config.peoplePages

/** Says when the person was mailed, or why not. If Berth sends no e-mail, the page says so once, above the table. */
function describeMail(call: Call, row: MailedPerson): string | null {
  if (row.mailedAt !== null) return t`sent ${formatDayAndTime(row.mailedAt, row.zone)}`
  if (row.isPushed) return t`notified in their browser`
  if (row.isFailed) return t`failed`
  if (!sendsMail(call)) return null
  if (row.isMuted) return t`switched off by the person`
  return row.isMailPending ? t`on its way` : t`not sent`
}

function showTimeNow(row: AffectedBooking): Content {
  if (row.bookableNow === null) return html`<span class="badge warn">${t`booking cancelled`}</span>`
  const isSameTime = row.fromNow === row.from && row.toNow === row.to
  const place = html`${row.bookableNow} <small>${row.locationNow}</small>`
  return isSameTime ? place : html`${place} <small>${describeTimes(row)}</small>`
}

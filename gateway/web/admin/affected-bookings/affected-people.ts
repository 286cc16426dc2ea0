// The people affected by one write: named in its notice, and listed on a page with their e-mail addresses and a file, so
// that an administrator can notify them at once.
import type pg from 'pg'
import {
  AFFECTING_ACTIONS,
  affectedPeople as affectedSql,
} from '../../../../shared/affected-bookings/affected-people.ts'
import {
  IS_FAILED,
  IS_MUTED,
  isOnItsWay,
  joinMails,
} from '../../../../shared/affected-bookings/mailed-people.ts'
import { onlyRow } from '../../../../shared/database/database.ts'
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { object, pathId } from '../../../../shared/schemas/fields.ts'
import type { ExportFormat } from '../../../../shared/users/users.ts'
import { type Content, type Html, html } from '../../../html/html.ts'
import { flag, instant, number, orNull, type RowOf, selectRows, text } from '../../../reads/rows/rows.ts'
import { plural, sentence, t, tHtml } from '../../locales/translate.ts'
import { exported } from '../../pages/page/downloads.ts'
import { type ActionCall, type Call, page } from '../../pages/page/page.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import {
  type Column,
  card,
  copyable,
  formatNumber,
  mailLink,
  showLinkOrText,
  table,
} from '../../pages/ui/parts.ts'

const NAMED_MAX = 3
const SHOWN_MAX = 100
const ADDRESSES_MAX = 200
// Longer addresses of mails are cut by some browsers and mail programs.
const MAILTO_MAX = 1_500

const AFFECTED = {
  userId: number('user_id'),
  person: text('person'),
  email: text('email'),
  event: orNull(text('event')),
  bookable: text('bookable'),
  location: orNull(text('location')),
  zone: text('timezone'),
  from: instant('lower(during)'),
  to: orNull(instant('upper(during)')),
  bookableNow: orNull(text('bookable_now')),
  locationNow: orNull(text('location_now')),
  fromNow: orNull(instant('lower(during_now)')),
  toNow: orNull(instant('upper(during_now)')),
}
type Affected = RowOf<typeof AFFECTED>

const listAffected = (reads: pg.Pool, entry: number, limit: number): Promise<Affected[]> =>
  selectRows(reads, AFFECTED, `${affectedSql('$1')} ORDER BY lower(during), id LIMIT $2`, [entry, limit])

/**
 * What an action says after its write: its own words, and whom it affects, with a link to all of them. `isNamed`: the
 * words name them already.
 */
export async function noticeOf(call: ActionCall, words: string, { isNamed = false } = {}) {
  const reads = call.services.primary
  const entry = await findAffecting(reads, call.lastAttempt())
  const affected = entry === null ? [] : await listAffected(reads, entry, LOOKED_AT_MAX)
  if (entry === null || affected.length === 0) return { notice: words }
  return { notice: isNamed ? words : `${words} ${nameFirst(affected)}.`, more: linkToAffected(entry) }
}

export const linkToAffected = (entry: number) => ({
  label: t`People to notify`,
  path: `/bookings/affected/${entry}`,
})

const LOOKED_AT_MAX = 1_000

/** The first entry of this attempt that affects somebody. */
export async function findAffecting(reads: pg.Pool, attempt: string | undefined) {
  const found = { id: orNull(number('min(id)')) }
  const sql = 'audit_log WHERE attempt = $1 AND action = ANY($2)'
  return onlyRow(await selectRows(reads, found, sql, [attempt ?? null, AFFECTING_ACTIONS])).id
}

/** Separated by semicolons, because the descriptions contain commas. */
function nameFirst(affected: Affected[]): string {
  const named = affected.slice(0, NAMED_MAX).map(describe).join('; ')
  const others = affected.length - NAMED_MAX
  return others > 0 ? t`${named}; and ${formatNumber(others)} more` : named
}

const describe = (row: Affected): string => `${row.person}: ${describeChange(row)}, ${describeTimes(row)}`

function describeChange(row: Affected): string {
  if (row.bookableNow === null) return t`${row.bookable} cancelled`
  return row.bookableNow === row.bookable && row.locationNow === row.location
    ? row.bookable
    : `${row.bookable} → ${row.bookableNow}`
}

/** The old time, or the new time if only the time has changed. */
function describeTimes({ from, to, fromNow, toNow, zone }: Affected): string {
  const [start, end] = fromNow === null ? [from, to] : [fromNow, toNow]
  const begin = formatDayAndTime(start, zone)
  return end === null ? t`${begin}, open-ended` : t`${begin} to ${formatTimeBeside(end, start, zone)}`
}

const MAIL = joinMails('$1')

const MAILED = {
  ...AFFECTED,
  mailedAt: orNull(instant('mail.sent_at')),
  isFailed: flag(IS_FAILED),
  isOnItsWay: flag(isOnItsWay('$1')),
  isMuted: flag(IS_MUTED),
}
type Mailed = RowOf<typeof MAILED>

const listMailed = (reads: pg.Pool, entry: number, limit: number): Promise<Mailed[]> =>
  selectRows(reads, MAILED, `${affectedSql('$1')} ${MAIL} ORDER BY lower(during), affected.id LIMIT $2`, [
    entry,
    limit,
  ])

const COUNTS = {
  people: number('count(DISTINCT affected.user_id)'),
  mailed: number('count(DISTINCT affected.user_id) FILTER (WHERE mail.sent_at IS NOT NULL)'),
}

/** Says how many of the affected people got a mail. */
async function describeMailed(reads: pg.Pool, entry: number): Promise<string> {
  const { people, mailed } = onlyRow(await selectRows(reads, COUNTS, `${affectedSql('$1')} ${MAIL}`, [entry]))
  if (mailed === 0) return t`Berth has mailed none of these people.`
  return mailed === people
    ? t`Berth has mailed all of these people.`
    : t`Berth has mailed ${formatNumber(mailed)} of these ${formatNumber(people)} people.`
}

const missing = message`Nobody was affected, or the audit log no longer says who.`

export const affectedPeople = page({
  path: '/bookings/affected/{id}',
  title: sentence`People to notify`,
  section: 'Bookings',
  readers: 'front-desk',
  writers: 'front-desk',
  params: object({ id: pathId() }),
  missing,
  downloads: { csv: (call) => file('csv', call), xlsx: (call) => file('xlsx', call) },
  async show(call) {
    const affected = await listMailed(call.reads, call.params.id, SHOWN_MAX + 1)
    if (affected.length === 0) throw new Refusal('not_found', missing)
    const more = affected.length > SHOWN_MAX
    const link = (format: ExportFormat) => showLinkOrText(call.download(format), format, { download: true })
    return {
      lead: await describeMailed(call.reads, call.params.id),
      breadcrumbs: [[t`Bookings`, '/bookings']],
      content: html`${await showAddresses(call)}
<section>${table(t`People to notify`, columns(call), affected.slice(0, SHOWN_MAX), '')}
${more && html`<p class="soft">${t`Only the first ${SHOWN_MAX} are shown.`}</p>`}
<p class="soft files">${tHtml`Download all of them: ${link('csv')}, ${link('xlsx')}.`}</p></section>`,
    }
  },
})

const file = (format: ExportFormat, call: Call<{ id: number }>) => {
  const { id } = call.params
  return exported(call, `people-to-tell-${id}`, 'bookings.export-affected', { format, entry_id: id })
}

async function showAddresses(call: Call<{ id: number }>): Promise<Html> {
  const distinct = `(SELECT DISTINCT email FROM ${affectedSql('$1')}) AS people`
  const found = await selectRows(call.reads, { email: text('email') }, `${distinct} ORDER BY email`, [
    call.params.id,
  ])
  const title = plural(found.length, '# person', '# people')
  if (found.length > ADDRESSES_MAX)
    return card(
      title,
      html`<p>${t`More than ${formatNumber(ADDRESSES_MAX)} e-mail addresses: they are in the file.`}</p>`,
      'addresses',
    )
  const addresses = found.map(({ email }) => email)
  return card(
    title,
    html`${copyable('addresses-text', addresses.join(', '), t`Copy e-mail addresses`)}
${addresses.join().length <= MAILTO_MAX && html`<p>${mailLink(addresses, t`Write an e-mail`)}</p>`}`,
    'addresses',
  )
}

const columns = (call: Call): Column<Mailed>[] => [
  {
    label: t`Person`,
    show: ({ userId, person, email }) =>
      html`${showLinkOrText(call.link(`/people/${userId}`), person)} <small>${email}</small>`,
  },
  { label: t`Event`, show: ({ event }) => event },
  { label: t`Before`, show: ({ bookable, location }) => html`${bookable} <small>${location}</small>` },
  { label: t`When`, show: (row) => describeTimes({ ...row, fromNow: null, toNow: null }) },
  { label: t`Now`, show: showNow },
  { label: t`Mail`, show: (row) => describeMail(call, row) },
]

/** When the person was mailed, or why not. */
function describeMail({ services }: Call, row: Mailed): string {
  const { mail, peoplePages } = services.config
  if (row.mailedAt !== null) return t`sent ${formatDayAndTime(row.mailedAt, row.zone)}`
  if (row.isFailed) return t`failed`
  if (!mail || !peoplePages) return t`Berth sends no mail here`
  if (row.isMuted) return t`switched off by the person`
  return row.isOnItsWay ? t`on its way` : t`not sent`
}

function showNow(row: Affected): Content {
  if (row.bookableNow === null) return html`<span class="badge warn">${t`booking cancelled`}</span>`
  const isSameTime = row.fromNow === row.from && row.toNow === row.to
  const place = html`${row.bookableNow} <small>${row.locationNow}</small>`
  return isSameTime ? place : html`${place} <small>${describeTimes(row)}</small>`
}
